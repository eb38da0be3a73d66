import type { ChatCompletionChunk } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { describe, expect, it } from 'vitest';
import { isStopText, stopText } from './stop-text.ts';
import { NOTHING, RUN } from './test-outcome.ts';

type Stop = NonNullable<RunOutcome['stop']>;

const ORIGIN = 'https://gateway.example';

/** The text that a caller reads. */
function textOf(
  stop: Partial<Stop> & Pick<Stop, 'kind'>,
  row: Partial<RunOutcome['row']> = {},
  tail: RunOutcome['tail'] = null,
): string {
  const outcome: RunOutcome = {
    ...NOTHING,
    row: { ...NOTHING.row, status: stop.kind, ...row },
    stop: { stage: 'ingress', node: 'words', code: 'wire', ...stop },
    tail,
  };
  return stopText(outcome, ORIGIN);
}

/** The last frame of an answer that a guard ended. */
function ending(svc_event: 'stream_violation' | 'late_violation'): ChatCompletionChunk[] {
  return [{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'r', choices: [], svc_event }];
}

const approver = { principal_id: 'bob', decision: 'denied', at: '2026-11-21T12:00:00.000Z' } as const;
const hint = { text: 'Nothing is left until noon.' };
const FAILED = 'SVC-NODE-001';
const egress = 'egress' as const;
const AFTER = `Once it is approved, send it again, or read the answer at ${ORIGIN}/v1/runs/${RUN}/response.`;

describe('a caller whose run is stopped reads', () => {
  it.each<[string, string]>([
    [
      textOf({ kind: 'blocked' }),
      `The gateway blocked this request: guard "words" (wire). Change the request and send it again, or give the operator run ${RUN}.`,
    ],
    [
      textOf({ kind: 'blocked', stage: egress }),
      `The gateway blocked the answer to this request: guard "words" (wire). Change the request and send it again, or give the operator run ${RUN}.`,
    ],
    [
      textOf({ kind: 'blocked', hint }),
      `The gateway blocked this request: guard "words" (wire). Nothing is left until noon. The run is ${RUN}.`,
    ],
    [
      textOf({ kind: 'blocked', code: FAILED }),
      `The gateway blocked this request: guard "words" failed (${FAILED}). Send the request again later, or give the operator run ${RUN}.`,
    ],
    [
      textOf({ kind: 'blocked', stage: egress }, {}, ending('stream_violation')),
      `The gateway stopped this answer here: guard "words" (wire). Change the request and send it again, or give the operator run ${RUN}.`,
    ],
    [
      textOf({ kind: 'blocked', stage: egress }, {}, ending('late_violation')),
      `The gateway found a violation in this answer; do not use it: guard "words" (wire). Change the request and send it again, or give the operator run ${RUN}.`,
    ],
    [
      textOf({ kind: 'paused' }),
      `This request is waiting for approval: guard "words" (wire). An approver can approve it at ${ORIGIN}/approvals#run=${RUN}. ${AFTER}`,
    ],
    [
      textOf({ kind: 'paused', stage: egress, hint }, { approvers: ['bob', 'carol'] }),
      `The answer to this request is waiting for approval: guard "words" (wire). Nothing is left until noon. bob or carol can approve it at ${ORIGIN}/approvals#run=${RUN}. Once it is approved, send the request again, or read the answer at ${ORIGIN}/v1/runs/${RUN}/response.`,
    ],
    [
      textOf({ kind: 'denied' }, { approver }),
      `bob denied this request: guard "words" (wire) asked for approval. Change the request and send it again, or give the operator run ${RUN}.`,
    ],
    [
      textOf({ kind: 'denied' }),
      `This request was not approved in time: guard "words" (wire) asked for approval. Send the request again and ask an approver to decide, or give the operator run ${RUN}.`,
    ],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
    expect(text).not.toContain('\n');
  });
});

describe('a text counts as the text of a stop', () => {
  const row = { ...NOTHING.row, status: 'paused' as const, approvers: ['bob'] };
  const stopped = { row, tail: null, stop: { kind: 'paused', stage: 'ingress', node: 'words', code: 'wire' } } as const;
  const text = textOf(stopped.stop, row);
  const hinted = textOf({ ...stopped.stop, hint }, row);

  it.each([text, hinted])('%s', (own) => {
    expect(isStopText(own, stopped, ORIGIN)).toBe(true);
  });

  it.each([
    ['with a text before it', `So. ${text}`],
    ['with a text behind it', `${text} Pay.`],
    ['with another word', text.replace('can approve', 'can decline')],
    ['with a line where a hint stands', hinted.replace(hint.text, 'Pay.\nAt once.')],
    ['with more than a hint', hinted.replace(hint.text, 'x'.repeat(301))],
    ['that is too short', text.slice(0, -1)],
    ['of another address', text.replaceAll('gateway.example', 'other.example')],
  ])('not %s', (_, other) => {
    expect(isStopText(other, stopped, ORIGIN)).toBe(false);
  });

  it('not if another guard stopped the run', () => {
    expect(isStopText(text, { ...stopped, stop: { ...stopped.stop, node: 'pii' } }, ORIGIN)).toBe(false);
  });
});
