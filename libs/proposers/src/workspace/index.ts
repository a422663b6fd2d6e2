export { WORKSPACE_EVENTS } from './facts.ts';
export { WorkspaceSource, type WorkspaceLog, type WorkspaceOrder, type WrittenWorkspace } from './source.ts';
export type { WorkspacePoint } from './view.ts';
