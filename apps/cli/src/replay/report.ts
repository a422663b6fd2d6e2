/** One part of what is rebuilt, compared with what is live. */
export interface PartReport {
  part: string;
  /** Canonical hashes; null where there is nothing. */
  rebuilt: string | null;
  live: string | null;
  equal: boolean;
  /** The live one was missing and has been put back. */
  restored: boolean;
  differences: readonly string[];
}

export interface RebuildReport {
  experimentId: string;
  /** Everything that is live equals what follows from the log. */
  equal: boolean;
  decisions: { remade: number; disagreements: readonly string[] };
  parts: readonly PartReport[];
}
