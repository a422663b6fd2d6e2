import { sha256 } from '@whale/kernel';
import { componentKey, parseComponents, replaceComponents, type Component } from '../components.ts';
import { withoutHeader } from '../header.ts';

/** What stands around the regions, as if it were one more slot; no region can have this name. */
const FRAME = '#frame';

/** A harness as a search sees it: slot → key of the component in it, and FRAME → hash of all the rest. */
export type Composition = ReadonlyMap<string, string>;

/** A harness that regions can be exchanged in or taken from. */
export interface Specimen {
  id: string;
  source: string;
  components: ReadonlyMap<string, Component>;
  composition: Composition;
}

export function specimen(id: string, source: string): Specimen {
  const program = withoutHeader(source);
  const parsed = parseComponents(program);
  const frame = replaceComponents(
    program,
    parsed.map(({ slot }) => ({ slot, variant: '-', text: '' })),
  );
  return {
    id,
    source,
    components: new Map(parsed.map((component) => [component.slot, component])),
    composition: new Map([
      [FRAME, sha256(frame)],
      ...parsed.map((component): [string, string] => [component.slot, componentKey(component)]),
    ]),
  };
}

/** Equal for harnesses that are the same program under another header or other variant names. */
export function programKey(composition: Composition): string {
  return [...composition].map((pair) => pair.join(' ')).join('\n');
}

/** The composition with other components in the slots that it has. */
export function exchanged(composition: Composition, components: readonly Component[]): Composition {
  const next = new Map(composition);
  for (const component of components) if (next.has(component.slot)) next.set(component.slot, componentKey(component));
  return next;
}

/** Slots, the frame among them, in which two harnesses agree. */
export function agreement(a: Composition, b: Composition): number {
  let count = 0;
  for (const [slot, key] of a) if (b.get(slot) === key) count++;
  return count;
}
