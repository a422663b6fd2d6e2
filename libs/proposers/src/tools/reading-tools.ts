import { grepTool } from './grep.ts';
import { listFilesTool } from './list-files.ts';
import { readFileTool } from './read-file.ts';
import type { WorkspaceTool } from './tool.ts';

/** The tools that read a workspace and change nothing. */
export const readingTools: readonly WorkspaceTool[] = [listFilesTool, readFileTool, grepTool];
