import type { AnswerBody, AnswerFrame, Cost, EventStage, Hint, Protocol, RunEvent, RunRow, SvcError } from '@svc/contracts';

/** Where a run was stopped, by which node, and why. */
export interface Stop {
  readonly kind: 'blocked' | 'paused' | 'denied';
  /** In `execute`, the run stopped before a model call. */
  readonly stage: EventStage;
  readonly node: string;
  readonly code: string;
  /** The node's hint for the caller. Never stored. */
  readonly hint?: Hint | undefined;
  /** Why an approver denied it. Stored only in encrypted form. */
  readonly reason?: string | undefined;
}

/** The durable state of a run, with its answer. */
export interface RunOutcome<Answer extends AnswerBody = AnswerBody> {
  readonly row: RunRow;
  readonly events: readonly RunEvent[];
  /** The protocol of the request and the answer. */
  readonly protocol: Protocol;
  /** The answer of a completed run, in the protocol of its request; otherwise null. */
  readonly completion: Answer | null;
  readonly stop: Stop | null;
  /** The last frames of a streamed answer. Null if the answer is returned whole, or there is no answer. */
  readonly tail: readonly AnswerFrame[] | null;
  /** The error for the caller if the run ended in `error`. */
  readonly error: SvcError | null;
  /** Whether a model call was paid. If so, an automatic retry would pay twice. */
  readonly paid: boolean;
  /** `partial`: a call was sent, but its usage is unknown. */
  readonly cost: Cost;
}
