import type { AnyEvent } from '@whale/contracts';
import { WorkspaceSource } from '../source.ts';
import type { WorkspacePoint } from '../view.ts';
import { filesOf, type ScriptedLog } from './scripted-log.ts';

export const written = async (scripted: ScriptedLog, at: WorkspacePoint, source = sourceOf(scripted)) => {
  const { domain } = scripted;
  const done = await source.write(scripted.target(), { domain, at });
  return { ...done, contents: await filesOf(done.directory) };
};
export const sourceOf = (scripted: ScriptedLog) => new WorkspaceSource(scripted, scripted.experimentId);
export const jsonLines = (text: string | undefined) =>
  (text ?? '')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
export const eventsOf = <Type extends AnyEvent['type']>({ events }: ScriptedLog, type: Type) =>
  events.flatMap(({ event }) => (event.type === type ? [event as Extract<AnyEvent, { type: Type }>] : []));

export function grouped<T>(values: readonly T[], key: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(key(value), [...(groups.get(key(value)) ?? []), value]);
  return groups;
}
