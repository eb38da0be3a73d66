import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fakeCounters, fakeGuardContext, fakePluginDeps, fakeSegments, guardConformance } from '@svc/sdk/testing';
import guard from './index.ts';

const deps = () => ({ ...fakePluginDeps(), counters: fakeCounters() });
const options = { words: ['Project Bluebird'], replacement: '<REMOVED>' };

describe('conformance', () => {
  const cases = guardConformance({
    guard: (deps) => guard.create(options, deps),
    samples: ['What is the budget of Project Bluebird this year?'],
    clean: ['What is the budget this year?'],
  });
  for (const { name, run } of cases) it(name, run);
});

it('replaces a word by the replacement', async () => {
  const segments = fakeSegments('ingress', ['On Project Bluebird, please.']);
  const { edits } = await guard.create(options, deps()).check(segments, fakeGuardContext());
  assert.deepEqual(edits, [{ segment: 0, start: 3, end: 19, replacement: '<REMOVED>' }]);
});
