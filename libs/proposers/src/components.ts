import { sha256 } from '@whale/kernel';

/** A region of a harness source: `// region <slot>: <variant>` … `// endregion`. */
export interface Component {
  slot: string;
  variant: string;
  /** The text between the marker lines with its last line break; '' when there is none. */
  text: string;
}

interface Located extends Component {
  /** [start, end) offsets of the variant's name and of the text in the source. */
  nameAt: readonly [number, number];
  textAt: readonly [number, number];
}

const REGION = /^\/\/ region (?<slot>[\w-]+): (?<name>[\w-]+)[^\S\n]*\n(?<text>[\s\S]*?)^\/\/ endregion[^\S\n]*$/dgmu;

/**
 * The exchangeable regions of a harness source, in order; [] for a file without any. It is the grammar of `regionsOf`,
 * but nothing is refused: a region that holds another one's marker, or whose slot occurs twice, is plain text.
 */
export function parseComponents(source: string): Component[] {
  return locate(source).map(({ slot, variant, text }) => ({ slot, variant, text }));
}

/** The source with the given components in place of those of their slots; all other bytes stay. Unknown slots: no-op. */
export function replaceComponents(source: string, replacements: readonly Component[]): string {
  const bySlot = new Map(replacements.map((component) => [component.slot, component]));
  return locate(source).reduceRight((text, { slot, nameAt, textAt }) => {
    const replacement = bySlot.get(slot);
    if (replacement === undefined) return text;
    return (
      text.slice(0, nameAt[0]) +
      replacement.variant +
      text.slice(nameAt[1], textAt[0]) +
      endLine(replacement.text) +
      text.slice(textAt[1])
    );
  }, source);
}

/** The component that a 1-based line of the source stands in. */
export function componentAt(source: string, line: number): Component | undefined {
  const lines = source.split('\n');
  const offset = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  return locate(source).find(({ textAt }) => offset >= textAt[0] && offset < textAt[1]);
}

/** What identifies a component: its slot and its text, whatever it is called. White space around the text is nothing. */
export function componentKey({ slot, text }: Pick<Component, 'slot' | 'text'>): string {
  return `${slot}/${sha256(text.trim()).slice(0, 12)}`;
}

function locate(source: string): Located[] {
  const found = [...source.matchAll(REGION)].flatMap(({ groups, indices }): Located[] => {
    const at = indices?.groups;
    if (groups === undefined || at?.['name'] === undefined || at['text'] === undefined) return [];
    const { slot = '', name = '', text = '' } = groups;
    if (/^\/\/ region\b/mu.test(text)) return [];
    return [{ slot, variant: name, text, nameAt: at['name'], textAt: at['text'] }];
  });
  return found.filter(({ slot }) => found.filter((other) => other.slot === slot).length === 1);
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
