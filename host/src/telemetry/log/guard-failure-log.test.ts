import type { Logger } from '@svc/contracts';
import type { GuardFailureReport } from '@svc/kernel/observing';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GuardFailureLog } from './guard-failure-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const FAILURE: GuardFailureReport = {
  node: 'n',
  package: '@test/guard',
  version: '1.0.0',
  run_id: 'run-1',
  route: 'default',
  stage: 'ingress',
  reason: 'threw',
  on_error: 'block',
  observed: false,
  error_class: 'TypeError',
  at: 'index.js:1:1',
};

/** The logged failures, as level, node, run and number of suppressed ones. */
function logged() {
  const lines: unknown[] = [];
  const at = (level: string) => (fields: GuardFailureReport & { suppressed: number }) =>
    void lines.push([level, fields.node, fields.run_id, fields.suppressed]);
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } as Logger;
  return { log: new GuardFailureLog(logger), lines };
}

it('writes one line a second for repeated failures, with the number of failures left out', () => {
  const { log, lines } = logged();
  for (let run = 1; run <= 5; run += 1) log.guardFailed({ ...FAILURE, run_id: `run-${run}` });
  expect(lines).toEqual([['error', 'n', 'run-1', 0]]);
  vi.advanceTimersByTime(1_000);
  expect(lines.slice(1)).toEqual([['error', 'n', 'run-5', 3]]);
  log.guardFailed({ ...FAILURE, run_id: 'run-6' });
  vi.advanceTimersByTime(1_000);
  expect(lines.slice(2)).toEqual([['error', 'n', 'run-6', 0]]);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(3);
  log.guardFailed({ ...FAILURE, run_id: 'run-7' });
  expect(lines.slice(3)).toEqual([['error', 'n', 'run-7', 0]]);
});

it('writes a separate line for another node or another reason', () => {
  const { log, lines } = logged();
  log.guardFailed(FAILURE);
  log.guardFailed({ ...FAILURE, node: 'other' });
  log.guardFailed({ ...FAILURE, reason: 'timed_out' });
  expect(lines).toHaveLength(3);
});

it.each([
  [{}, 'error'],
  [{ on_error: 'require_approval' }, 'error'],
  [{ on_error: 'allow' }, 'warn'],
  [{ observed: true }, 'warn'],
  [{ stage: 'settle' }, 'warn'],
] as const)('%j: %s', (fields, level) => {
  const { log, lines } = logged();
  log.guardFailed({ ...FAILURE, ...fields });
  expect(lines).toEqual([[level, 'n', 'run-1', 0]]);
});
