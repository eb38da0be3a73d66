import assert from 'node:assert/strict';
import { STAGES, VERDICTS } from '@svc/kernel/contracts';
import type { ConformanceCase } from '../conformance-case.ts';
import type { WithSubject } from './subject.ts';

export function declarationCases(withSubject: WithSubject): ConformanceCase[] {
  return [
    {
      name: 'declares stages and verdicts that exist, each once',
      run: () =>
        withSubject(({ guard }) => {
          assertSubset(guard.stages, STAGES, 'stage');
          assertSubset(guard.verdicts, VERDICTS, 'verdict');
          assert.ok(guard.stages.length > 0, 'a guard offers at least one stage');
        }),
    },
    {
      name: 'declares streams and reservations whole or not at all',
      run: () =>
        withSubject(({ guard: { stream, reservations } }) => {
          if (stream !== undefined) {
            assert.ok(stream.capability === 'window' || stream.capability === 'post', 'window or post');
            assert.equal(typeof stream.open, 'function');
          }
          if (reservations === undefined) return;
          assert.equal(typeof reservations.revalidate, 'function');
          assert.equal(typeof reservations.settle, 'function');
        }),
    },
  ];
}

function assertSubset(declared: readonly string[], known: readonly string[], what: string): void {
  for (const name of declared) assert.ok(known.includes(name), `'${name}' is no ${what}`);
  assert.equal(new Set(declared).size, declared.length, `a ${what} is declared twice`);
}
