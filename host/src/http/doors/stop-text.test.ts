import type { RunOutcome } from '@svc/kernel';
import { describe, expect, it } from 'vitest';
import { stoppedCompletion } from './stopped-completion.ts';
import { NOTHING, RUN } from './test-outcome.ts';

type Stop = NonNullable<RunOutcome['stop']>;

/** The text that a caller reads. */
function textOf(stop: Partial<Stop> & Pick<Stop, 'kind'>, row: Partial<RunOutcome['row']> = {}): string {
  const outcome: RunOutcome = {
    ...NOTHING,
    row: { ...NOTHING.row, status: stop.kind, ...row },
    stop: { stage: 'ingress', node: 'words', code: 'wire', ...stop },
  };
  return String(stoppedCompletion(outcome, 'content').choices[0]?.message.content);
}

const approver = { principal_id: 'bob', decision: 'denied', at: '2026-11-21T12:00:00.000Z' } as const;
const hint = { text: 'Nothing is left until noon.' };

describe('who is stopped reads', () => {
  it.each<[string, string]>([
    [
      textOf({ kind: 'blocked' }),
      `This request was blocked by the guard "words" (wire). Change it and ask again, or give the operator run ${RUN}.`,
    ],
    [
      textOf({ kind: 'blocked', stage: 'egress' }),
      `The answer to this request was blocked by the guard "words" (wire). Change the request and ask again, or give the operator run ${RUN}.`,
    ],
    [
      textOf({ kind: 'blocked', hint }),
      `This request was blocked by the guard "words" (wire). Nothing is left until noon. Its run is ${RUN}.`,
    ],
    [
      textOf({ kind: 'blocked', stage: 'egress', code: 'SVC-NODE-001' }),
      `The answer to this request was blocked because the guard "words" failed (SVC-NODE-001). Ask again later, or give the operator run ${RUN}.`,
    ],
    [
      textOf({ kind: 'paused' }),
      `This request waits for approval, as the guard "words" (wire) asked. Once approved, the answer is at /v1/runs/${RUN}/response.`,
    ],
    [
      textOf({ kind: 'paused', stage: 'egress', hint }, { approvers: ['bob', 'carol'] }),
      `The answer to this request waits for approval by bob or carol, as the guard "words" (wire) asked. Nothing is left until noon. Once approved, the answer is at /v1/runs/${RUN}/response.`,
    ],
    [
      textOf({ kind: 'paused', code: 'SVC-NODE-001' }),
      `This request waits for approval, because the guard "words" failed (SVC-NODE-001). Once approved, the answer is at /v1/runs/${RUN}/response.`,
    ],
    [
      textOf({ kind: 'denied' }, { approver }),
      `This request was denied by bob; the guard "words" (wire) had asked for a review. Change the request, or ask about run ${RUN}.`,
    ],
    [
      textOf({ kind: 'denied' }),
      `This request waited too long for the review that the guard "words" (wire) had asked for, and was denied. Its run is ${RUN}; ask again, and an approver to decide.`,
    ],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });
});
