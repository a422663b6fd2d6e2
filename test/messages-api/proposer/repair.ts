/** What a rejection says: "Rejected at the stage `types`, line 57: …". */
const REJECTION = /stage `(?<stage>\w+)`(?:, line (?<line>\d+))?: (?<message>.+)/u;

/** A constant that holds a match, with or without a type. */
const DECLARATION = /^(?<head>\s*const (?<name>\w+)(?:: [\w[\]]+)? = .+?)(?<guard> \?\? \[\])?;$/u;

/**
 * The source as the message of its rejection asks for; undefined where the proposer does not know how. It knows what a
 * person forgets most: that a match may find nothing.
 */
export function repaired(source: string, rejection: string): string | undefined {
  const { stage, line, message } = REJECTION.exec(rejection)?.groups ?? {};
  if (stage !== 'types' || line === undefined || message === undefined) return undefined;
  const used = /^'(\w+)' is possibly '(?:null|undefined)'/u.exec(message)?.[1];
  const isAssigned = /\| (?:null|undefined)' is not assignable to type/u.test(message);
  if (used === undefined && !isAssigned) return undefined;
  const lines = source.split('\n');
  const place = lines.findLastIndex((text, index) => {
    const name = DECLARATION.exec(text)?.groups?.['name'];
    return used === undefined
      ? index === Number(line) - 1 && name !== undefined
      : index < Number(line) && name === used;
  });
  const { head, guard } = DECLARATION.exec(lines[place] ?? '')?.groups ?? {};
  if (head === undefined || guard !== undefined) return undefined;
  return lines.with(place, `${head} ?? [];`).join('\n');
}

/** The slip that `repaired` knows: the source without its first `?? []` that the parent has not; undefined: none. */
export function withSlip(source: string, parent: string): string | undefined {
  const kept = new Set(parent.split('\n'));
  const lines = source.split('\n');
  const place = lines.findIndex((line) => !kept.has(line) && DECLARATION.exec(line)?.groups?.['guard'] !== undefined);
  return place === -1 ? undefined : lines.with(place, (lines[place] ?? '').replace(' ?? [];', ';')).join('\n');
}
