/** What speaks for an injection, in the order in which findings name them. */
export const SIGNALS = [
  'override',
  'persona',
  'exfiltration',
  'role_spoof',
  'indirect',
  'hidden_text',
  'bidi',
  'obfuscated',
  'encoded',
] as const;
export type Signal = (typeof SIGNALS)[number];

/** How strongly each signal speaks, 0 to 1. */
export type Scores = ReadonlyMap<Signal, number>;

/** The stronger of what was there and this. */
export function raise(scores: Map<Signal, number>, signal: Signal, score: number): void {
  if (score > (scores.get(signal) ?? 0)) scores.set(signal, score);
}

/** One score of all: signals that come together are worth more than the strongest of them (noisy or). */
export function combined(scores: Scores): number {
  return 1 - [...scores.values()].reduce((doubt, score) => doubt * (1 - score), 1);
}

/** The strongest of these signals. */
export function strongest(scores: Scores, signals: readonly Signal[]): number {
  return Math.max(0, ...signals.map((signal) => scores.get(signal) ?? 0));
}
