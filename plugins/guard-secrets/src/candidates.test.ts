import { expect, test } from 'vitest';
import { Candidates } from './candidates.ts';
import { Search } from './detectors/detector.ts';
import { namedValues } from './detectors/named-value.ts';
import { Searches } from './detectors/searches.ts';
import { EndlessScanner } from './endless-scanner.ts';

test('what lies inside a secret is not judged: one that looks like thousands costs as one', () => {
  let judged = 0;
  const [, detector] = namedValues(2.5);
  if (detector === undefined) throw new Error('there is no detector');
  const search = new Search({
    ...detector,
    judge(value, next) {
      judged += 1;
      return detector.judge?.(value, next) ?? 0;
    },
  });
  const scanner = new EndlessScanner({
    exact: new Searches([]),
    endless: new Searches([search]),
    allowed: new Set(),
    findsPlaceholders: false,
  });
  expect(scanner.advance('token='.repeat(10_000), true).map(({ kind }) => kind)).toEqual(['text', 'begin', 'end']);
  expect(judged).toBeLessThan(5);
});

test('candidates come from left to right, of several searches, the first search first', () => {
  const search = (entity: string, characters: string): Search =>
    new Search({ entity, secret: { whole: `[${characters}]`, begun: '', shortest: 1, longest: 1 }, notAfter: '' });
  const candidates = new Candidates([search('A', 'ab'), search('B', 'bc')], 'xabcab', 0);
  const found: string[] = [];
  for (let next = candidates.next(0); next !== null; next = candidates.next(next.start === 2 ? 4 : 0)) {
    found.push(`${next.detector.entity}${next.start}`);
  }
  expect(found).toEqual(['A1', 'A2', 'A4', 'A5', 'B5']);
});
