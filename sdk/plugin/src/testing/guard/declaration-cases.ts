import assert from 'node:assert/strict';
import { STAGES, VERDICTS } from '@svc/contracts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
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
      name: 'opens streams if and only if it declares a stream_capability',
      run: () =>
        withSubject(({ guard }) => {
          const declared = guard.stream_capability;
          assert.ok(declared === undefined || declared === 'window' || declared === 'post', 'window, post or absent');
          assert.equal(typeof guard.openStream === 'function', declared !== undefined);
        }),
    },
  ];
}

function assertSubset(declared: readonly string[], known: readonly string[], what: string): void {
  for (const name of declared) assert.ok(known.includes(name), `'${name}' is no ${what}`);
  assert.equal(new Set(declared).size, declared.length, `a ${what} is declared twice`);
}
