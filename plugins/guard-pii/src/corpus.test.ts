import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fakeGuardContext } from '@svc/sdk/testing';
import { expect, test } from 'vitest';
import { guardOf } from './test-guard.ts';

interface Labelled {
  readonly text: string;
  readonly spans: readonly { readonly entity_type: string; readonly start: number; readonly end: number }[];
}

const corpus = (half: string): Labelled[] =>
  readFileSync(join(import.meta.dirname, '..', 'corpus', `${half}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

// Numbers that may be personal or something else, and host addresses beside versions, sections and times.
test.each([
  ['develop', 'US_SSN', 1, 0.9],
  ['judge', 'US_SSN', 1, 0.9],
  ['develop', 'IP_ADDRESS', 0.9, 1],
  ['judge', 'IP_ADDRESS', 0.85, 1],
])('in the %s half, %s is found with a precision of %f and a recall of %f', async (half, entity, precision, recall) => {
  const guard = guardOf();
  // Conventions differ in whether a zone is part of its address.
  const name = ({ start }: Labelled['spans'][number]): number => start;
  let [found, labelled, right] = [0, 0, 0];
  for (const { text, spans } of corpus(half)) {
    const labels = spans.filter(({ entity_type }) => entity_type === entity).map(name);
    const { findings = [] } = (await guard.scan?.(text, fakeGuardContext())) ?? {};
    const own = findings.filter(({ entity_type }) => entity_type === entity).map(name);
    found += own.length;
    labelled += labels.length;
    right += own.filter((place) => labels.includes(place)).length;
  }
  expect(labelled).toBeGreaterThan(10);
  expect(right / found).toBeGreaterThanOrEqual(precision);
  expect(right / labelled).toBeGreaterThanOrEqual(recall);
});
