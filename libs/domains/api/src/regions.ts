import { InputError } from '@whale/kernel';
import type { ComponentVariant } from './domain.ts';

/** One `// region <slot>: <variant>` … `// endregion` of a harness source. */
export interface Region {
  slot: string;
  variant: string;
  /** The text between the markers, without the line breaks beside them. */
  text: string;
}

const REGION = /^\/\/ region (?<slot>[\w-]+): (?<variant>[\w-]+)[^\S\n]*\n(?<text>[\s\S]*?)^\/\/ endregion[^\S\n]*$/gmu;

/** The regions of a harness source, in order. Throws InputError when markers do not pair or a slot occurs twice. */
export function regionsOf(source: string): Region[] {
  const regions = [...source.matchAll(REGION)].map(({ groups }): Region => {
    return { slot: groups?.slot ?? '', variant: groups?.variant ?? '', text: (groups?.text ?? '').replace(/\n$/u, '') };
  });
  const opened = source.match(/^\/\/ region\b/gmu)?.length ?? 0;
  const closed = source.match(/^\/\/ endregion\b/gmu)?.length ?? 0;
  if (opened !== regions.length || closed !== regions.length) {
    throw new InputError(`harness: ${opened} region and ${closed} endregion markers make ${regions.length} regions`);
  }
  const twice = regions.find((region, i) => regions.findIndex(({ slot }) => slot === region.slot) !== i);
  if (twice !== undefined) throw new InputError(`harness: slot ${twice.slot} has more than one region`);
  return regions;
}

/** The source with the region of the variant's slot exchanged. Throws InputError where the source has no such slot. */
export function withVariant(source: string, variant: Pick<ComponentVariant, 'slot' | 'name' | 'source'>): string {
  if (!regionsOf(source).some((region) => region.slot === variant.slot)) {
    throw new InputError(`harness: no region for slot ${variant.slot}`);
  }
  return source.replaceAll(REGION, (whole: string, slot: string) =>
    slot === variant.slot ? `// region ${slot}: ${variant.name}\n${variant.source.trim()}\n// endregion` : whole,
  );
}
