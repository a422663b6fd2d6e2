/** A scored harness; `score` is null when nothing of it could be measured. */
export interface ScoredHarness {
  harnessId: string;
  score: number | null;
}

/** Arg max of the archive; ties keep the incumbent, and an unmeasured harness never wins (DESIGN §5). */
export function argmax(incumbent: ScoredHarness, challenger: ScoredHarness): ScoredHarness {
  if (challenger.score === null) return incumbent;
  if (incumbent.score === null || challenger.score > incumbent.score) return challenger;
  return incumbent;
}
