import { finderConformance } from '@svc/toolkit/testing';
import { describe, expect, test } from 'vitest';
import { nameFinder } from './name-finder.ts';

const texts = [
  'My name is Ann Lee and I live in Paris. Dr. Jane van der Berg said hello to Bob, then left.',
  'From: John Smith <john@example.org>\nTo: Mary\n\nDear Mary,\nthe report is ready.\nRegards,\nJohn Q. Smith',
  'ALICE SMITH MET BOB JONES IN NEW YORK. The quick brown Fox jumps over Maria. Is it Peter? yes',
  'my name is kristin larsen, call me at 5; Mr Ångström and Mrs. O’Neill-Kowalska flew to Rio de Janeiro on Monday',
  'Hey Claude, ask Google Gemini or Claude 3 Opus. Claude is an AI assistant made by Anthropic. Claude Monet is none; nor is Claude, who left.',
];

describe('the finder of names', () => {
  for (const { name, run } of finderConformance({ finder: nameFinder(new Set(['PERSON', 'LOCATION']), 0.4), texts }))
    test(name, run);
});

test('a speaker who says where he is from says no name', async () => {
  const finder = nameFinder(new Set(['PERSON']), 0.4);
  expect(await finder.find('I am German, and she is Swedish.', 0)).toEqual([]);
  expect(await finder.find('I am Peter, and she is Swedish.', 0)).toMatchObject([{ start: 5, end: 10 }]);
});
