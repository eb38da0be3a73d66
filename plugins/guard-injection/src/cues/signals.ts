/** The signals of an injection, in the order in which findings list them. */
export const SIGNALS = [
  'override',
  'persona',
  'exfiltration',
  'role_spoof',
  'indirect',
  'learned',
  'hidden_text',
  'bidi',
  'obfuscated',
  'encoded',
] as const;
export type Signal = (typeof SIGNALS)[number];

/** The strength of each signal, 0 to 1. */
export type Scores = ReadonlyMap<Signal, number>;

/** Keeps the higher of the current and the new score. */
export function raise(scores: Map<Signal, number>, signal: Signal, score: number): void {
  if (score > (scores.get(signal) ?? 0)) scores.set(signal, score);
}

/** One overall score. Several signals together score higher than the strongest one (noisy-or). Rounded, so that a score of 0.45 reaches 0.45. */
export function combined(scores: Scores): number {
  const doubt = [...scores.values()].reduce((product, score) => product * (1 - score), 1);
  return Math.round((1 - doubt) * 1e6) / 1e6;
}
