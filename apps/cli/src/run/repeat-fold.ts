interface Open {
  /** The last line of its kind. */
  line: string;
  /** Since when repeats are counted, ms. */
  since: number;
  repeats: number;
}

/**
 * Folds lines that say the same again: on a full disk each work item has the same trouble. Lines are the same when they
 * differ only in numbers and ids. Time comes from the caller. Invariants, each named by a test:
 * F1 The first line of a kind is told at once, repeats of it once a window, with their number.
 * F2 Nothing is dropped in silence: lines told and repeats counted are as many as lines taken.
 * F3 A kind that has not come for a window is forgotten: nothing piles up.
 */
export class RepeatFold {
  readonly #windowMs: number;
  readonly #open = new Map<string, Open>();

  constructor(windowMs = 5_000) {
    this.#windowMs = windowMs;
  }

  /** The lines to tell now that `line` has come. */
  take(line: string, now: number): string[] {
    const told = this.due(now);
    const kind = kindOf(line);
    const known = this.#open.get(kind);
    if (!known) {
      this.#open.set(kind, { line, since: now, repeats: 0 });
      return [...told, line];
    }
    known.line = line;
    known.repeats++;
    return told;
  }

  /** The lines whose window is over. */
  due(now: number): string[] {
    const told: string[] = [];
    for (const [kind, open] of this.#open) {
      if (now - open.since < this.#windowMs) continue;
      if (open.repeats === 0) this.#open.delete(kind);
      else told.push(counted(open));
      open.since = now;
      open.repeats = 0;
    }
    return told;
  }

  /** What is still to be told at the end. */
  flush(): string[] {
    const told = [...this.#open.values()].filter(({ repeats }) => repeats > 0).map(counted);
    this.#open.clear();
    return told;
  }
}

function counted({ line, repeats }: Open): string {
  return `${line} (and ${repeats} more like it)`;
}

/** Ids are `name-<hex>`, hashes hex; places and counts are numbers. */
function kindOf(line: string): string {
  return line.replace(/\b[0-9a-f]{8,}\b|\d+/g, '#');
}
