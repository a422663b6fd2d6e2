import { InputError, type Rng } from '@whale/kernel';

/** What an entity of the invented world is. */
export type EntityType = 'person' | 'town' | 'realm' | 'guild' | 'river';

/**
 * A name is a first syllable (shared by all types) and a last syllable that tells the type. So a name costs a small
 * BPE vocabulary about two tokens, every world has names that no other world used in the same facts, and copying is
 * the only way to say one.
 */
const FIRST = (
  'Tar Mav Das Bru Oru Kel Vim Sar Nol Pel Rin Gav Hul Jor Lem Wex Zan Cor Dun Fal Gri Hes Ilm Jun Kra Lor Mir Nev ' +
  'Osk Pra Qui Ros Sul Tev Ulm Var Wil Yar Zel Bal Cri Dor Eld Fen Gol Hav Ist Kor'
).split(' ');

const LAST: Record<EntityType, readonly string[]> = {
  person: 'ask eth ina oph uld ani erk oss ilda ux aro emi osh andi ulf ey'.split(' '),
  town: 'vel mond wick stead burn gate holm mere port fold combe hythe dale bury lock ness'.split(' '),
  realm: 'oria avia umar eland issa ovar'.split(' '),
  guild: 'weld tuns smar kell rop drift'.split(' '),
  river: 'awen iss oon ebra ull ym'.split(' '),
};

/** Words before a name that make another entity with a nearly equal name. */
export const NEAR_PREFIXES: Partial<Record<EntityType, readonly string[]>> = {
  town: ['New', 'Old', 'East'],
  person: ['Young', 'Old'],
};

/** How many names of a type exist. */
export function nameCapacity(type: EntityType): number {
  return FIRST.length * LAST[type].length;
}

/** `count` distinct names in random order. Throws InputError when the syllables cannot make as many. */
export function inventNames(random: Rng, type: EntityType, count: number): string[] {
  if (count > nameCapacity(type)) {
    throw new InputError(`atlas: ${count} names of type ${type} asked, the syllables make ${nameCapacity(type)}`);
  }
  const all = FIRST.flatMap((first) => LAST[type].map((last) => first + last));
  return random.shuffle(all).slice(0, count);
}

const NAME = new RegExp(
  `\\b(${FIRST.join('|')})(${Object.values(LAST)
    .flat()
    .sort((a, b) => b.length - a.length)
    .join('|')})\\b`,
  'gu',
);

/** The text with each invented name broken into its syllables: `Tarvel` becomes `Tar` and, on a line of its own, `vel`. */
export function splitNames(text: string): string {
  return text.replace(NAME, '$1\n$2');
}
