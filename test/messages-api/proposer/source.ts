/** A part of a harness that can be exchanged: `// region <slot>: <variant>` … `// endregion`. */
export interface Region {
  slot: string;
  variant: string;
  /** The lines between the two. */
  text: string;
}

const REGION = /^\/\/ region (?<slot>[\w-]+): (?<variant>[\w-]+)\n(?<text>[\s\S]*?)^\/\/ endregion$/gmu;

export function regionsIn(source: string): Region[] {
  return [...source.matchAll(REGION)].map(({ groups }) => ({
    slot: groups?.['slot'] ?? '',
    variant: groups?.['variant'] ?? '',
    text: groups?.['text'] ?? '',
  }));
}

/** The source with these regions in place of those of their slots; undefined where it lacks one of the slots. */
export function withRegions(source: string, regions: readonly Region[]): string | undefined {
  const slots = new Set(regionsIn(source).map(({ slot }) => slot));
  if (regions.some(({ slot }) => !slots.has(slot))) return undefined;
  const bySlot = new Map(regions.map((region) => [region.slot, region]));
  return source.replaceAll(REGION, (whole, slot: string) => {
    const region = bySlot.get(slot);
    if (region === undefined) return whole;
    return `// region ${slot}: ${region.variant}\n${region.text}// endregion`;
  });
}

/** The source with another text for a key of PROMPTS, and nothing else changed; undefined where there is no such key. */
export function withPrompt(source: string, key: string, prompt: string): string | undefined {
  const place = new RegExp(`(export const PROMPTS = \\{[^}]*?\\b${key}:\\s*)'(?:[^'\\\\]|\\\\.)*'`, 'u');
  if (!place.test(source)) return undefined;
  const literal = `'${prompt.replaceAll(/[\\']/gu, '\\$&')}'`;
  return source.replace(place, (_, before: string) => before + literal);
}

/** What PROMPTS says now. */
export function promptIn(source: string, key: string): string | undefined {
  return new RegExp(`export const PROMPTS = \\{[^}]*?\\b${key}:\\s*'((?:[^'\\\\]|\\\\.)*)'`, 'u').exec(source)?.[1];
}
