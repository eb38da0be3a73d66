import { STAGES, VERDICTS } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import type { WithSubject } from './subject.ts';

export function declarationCases(withSubject: WithSubject): ConformanceCase[] {
  return [
    {
      name: 'declares existing stages and verdicts, each once',
      run: () =>
        withSubject(({ guard }) => {
          assertSubset(guard.stages, STAGES, 'stage');
          assertSubset(guard.verdicts, VERDICTS, 'verdict');
          assert.atLeast(guard.stages.length, 1, 'stages');
        }),
    },
    {
      name: 'declares all or nothing for streams and reservations',
      run: () =>
        withSubject(({ guard: { stream, reservations } }) => {
          if (stream !== undefined) {
            const { capability, open } = stream;
            assert.ok(capability === 'window' || capability === 'post', 'the capability window or post', typeof capability);
            assertMethod(open, 'stream.open');
          }
          if (reservations === undefined) return;
          assertMethod(reservations.revalidate, 'reservations.revalidate');
          assertMethod(reservations.settle, 'reservations.settle');
        }),
    },
  ];
}

function assertSubset(declared: readonly string[], known: readonly string[], what: string): void {
  for (const name of declared) assert.ok(known.includes(name), `a ${what} of ${known.join(', ')}`, 'another');
  assert.same(new Set(declared).size, declared.length, `a different ${what} each time`);
}

function assertMethod(value: unknown, name: string): void {
  assert.ok(typeof value === 'function', `${name} as a function`, typeof value);
}
