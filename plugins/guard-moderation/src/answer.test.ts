import { expect, it } from 'vitest';
import { categoriesIn } from './answer.ts';

it.each(['constructor', 'toString'])('without a score for the threshold of %s, there is no verdict', (name) => {
  const answer = { results: [{ flagged: false, categories: {}, category_scores: {} }] };
  expect(categoriesIn(answer, 1, new Map([[name, 0.5]]))).toBeNull();
});
