import type { ChatCompletion, ChatCompletionChunk, EventStage, Hint, RunEvent, RunRow, SvcError } from '@svc/contracts';

/** Where a run stopped short of its answer, and whose word that was. */
export interface Stop {
  readonly kind: 'blocked' | 'paused' | 'denied';
  /** `execute`: before a call to a model. */
  readonly stage: EventStage;
  readonly node: string;
  readonly code: string;
  /** What that node tells the caller beside; known at the stop only, stored nowhere. */
  readonly hint?: Hint | undefined;
}

/** How far a run got, durably. */
export interface RunOutcome {
  readonly row: RunRow;
  readonly events: readonly RunEvent[];
  /** The answer of a completed run, else null. */
  readonly completion: ChatCompletion | null;
  readonly stop: Stop | null;
  /** The last frames of an answer that left as it came; null where it is given whole, or there is none. */
  readonly tail: readonly ChatCompletionChunk[] | null;
  /** Why a run ended in `error`, as its caller may know it. */
  readonly error: SvcError | null;
  /** Whether a model was paid: an automatic retry would pay twice. */
  readonly paid: boolean;
}
