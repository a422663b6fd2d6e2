export type {
  ArchiveEntry,
  Draft,
  JudgedDraft,
  ProposalRequest,
  Proposer,
  Rejection,
  RejectionStage,
  SessionEnd,
} from './proposer.ts';
export { parseComponents, replaceComponents, type Component } from './components.ts';
export { readHeader, withHeader, withoutHeader } from './header.ts';
export { unifiedDiff } from './unified-diff.ts';
export { Claude, type ClaudeOptions } from './claude/claude.ts';
export { Recombine } from './recombine/recombine.ts';
export { Random } from './random/random.ts';
export { Module } from './module/module.ts';
export { Command, type CommandOptions } from './command/command.ts';
export { findProgram } from './command/find-program.ts';
export { loadProposer } from './module/load-proposer.ts';
export type { ProposerModule } from './module/proposer-module.ts';
export type { CallBegun, JournalEntry, OwnStep, ProposalSession, Trial, TriedEffect } from './session.ts';
export { callTool } from './tools/call.ts';
export { readingTools } from './tools/reading-tools.ts';
export { done, refused, type ToolContext, type ToolResult, type WorkspaceTool } from './tools/tool.ts';
export { WorkspaceSource, type WorkspaceLog, type WorkspaceOrder, type WrittenWorkspace } from './workspace/source.ts';
export type { WorkspacePoint } from './workspace/view.ts';
