/**
 * One token from logits. Sums run in ascending order in float64, so the choice depends on the logits' bits and `roll`
 * alone. Temperature 0 takes the largest logit, the first of equals.
 * @param roll uniform in [0, 1).
 */
export function sampleToken(logits: Float32Array, temperature: number, roll: number): number {
  let best = 0;
  for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[best] as number)) best = i;
  if (temperature === 0) return best;
  const high = logits[best] as number;
  let total = 0;
  for (let i = 0; i < logits.length; i++) total += Math.exp(((logits[i] as number) - high) / temperature);
  let left = roll * total;
  for (let i = 0; i < logits.length; i++) {
    left -= Math.exp(((logits[i] as number) - high) / temperature);
    if (left < 0) return i;
  }
  return best;
}
