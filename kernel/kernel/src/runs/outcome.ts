import type { AnswerBody, AnswerFrame, Cost, EventStage, Hint, Protocol, RunEvent, RunRow, SvcError } from '@svc/contracts';

/** Where a run was stopped, and by which node. */
export interface Stop {
  readonly kind: 'blocked' | 'paused' | 'denied';
  /** `execute`: before a call to a model. */
  readonly stage: EventStage;
  readonly node: string;
  readonly code: string;
  /** That node's hint for the caller; not stored. */
  readonly hint?: Hint | undefined;
}

/** The durable state of a run, with its answer. */
export interface RunOutcome<Answer extends AnswerBody = AnswerBody> {
  readonly row: RunRow;
  readonly events: readonly RunEvent[];
  /** Of its request and its answer. */
  readonly protocol: Protocol;
  /** The answer of a completed run, in the protocol of its request; else null. */
  readonly completion: Answer | null;
  readonly stop: Stop | null;
  /** The last frames of a streamed answer; null if it is returned whole, or there is none. */
  readonly tail: readonly AnswerFrame[] | null;
  /** Why a run ended in `error`, in the form that its caller may see. */
  readonly error: SvcError | null;
  /** Whether a model was paid: an automatic retry would pay twice. */
  readonly paid: boolean;
  /** `partial`: a call was sent whose usage is unknown. */
  readonly cost: Cost;
}
