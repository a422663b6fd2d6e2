import type { Heads } from './record-store.ts';

export interface LogListener {
  onAppended(heads: Heads): void;
  /** Members or leases of some consumer group have changed. */
  onGroupsChanged(): void;
}

/** All logs that this process (this thread) has open on one file hear of each other at once, without polling. */
const listenersByFile = new Map<string, Set<LogListener>>();

export function listen(realPath: string, listener: LogListener): () => void {
  const listeners = listenersByFile.get(realPath) ?? new Set();
  listenersByFile.set(realPath, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && listenersByFile.get(realPath) === listeners) listenersByFile.delete(realPath);
  };
}

export function announceAppended(realPath: string, heads: Heads): void {
  for (const listener of listenersByFile.get(realPath) ?? []) listener.onAppended(heads);
}

export function announceGroupsChanged(realPath: string): void {
  for (const listener of listenersByFile.get(realPath) ?? []) listener.onGroupsChanged();
}
