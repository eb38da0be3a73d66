import type { JsonValue } from '@svc/sdk';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

const Result = Type.Object({
  flagged: Type.Boolean(),
  categories: Type.Record(Type.String({ pattern: '^[A-Za-z0-9._/-]{1,64}$' }), Type.Union([Type.Boolean(), Type.Null()]), {
    additionalProperties: false,
  }),
  category_scores: Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()])),
});
type Result = Static<typeof Result>;
/** Unknown fields are ignored. */
const Answer = Compile(Type.Object({ results: Type.Array(Result) }));

/**
 * The categories of each text.
 * @param thresholds thresholds by category; for other categories, the API itself decides
 * @returns null if the answer is invalid, is about another number of texts, or lacks a score that has a threshold
 */
export function categoriesIn(answer: JsonValue, texts: number, thresholds: ReadonlyMap<string, number>): string[] | null {
  if (!Answer.Check(answer) || answer.results.length !== texts) return null;
  const found: string[] = [];
  for (const result of answer.results) {
    const one = categoriesOf(result, thresholds);
    if (one === null) return null;
    found.push(...one);
  }
  return found;
}

function categoriesOf(
  { flagged, categories, category_scores }: Result,
  thresholds: ReadonlyMap<string, number>,
): string[] | null {
  const found: string[] = [];
  for (const [name, threshold] of thresholds) {
    const score = Object.hasOwn(category_scores, name) ? category_scores[name] : null;
    if (score == null) return null;
    if (score >= threshold) found.push(name);
  }
  const decided = Object.keys(categories).filter((name) => categories[name] === true);
  // The text was flagged, but in no known category.
  if (flagged && decided.length === 0) found.push('other');
  return [...found, ...decided.filter((name) => !thresholds.has(name))];
}
