import { oddsOf } from './model.ts';

/** Log-odds with a score of a half. Fewer than 1 % of the ordinary prompts that the model never saw have more. */
const MIDDLE = 2.7;
/** Below this score, the model says nothing. */
const LEAST = 0.1;

/** How much a folded text resembles known attacks, 0 to 1. */
export function likenessOf(folded: string): number {
  const score = 1 / (1 + Math.exp(MIDDLE - oddsOf(folded)));
  return score < LEAST ? 0 : score;
}
