import type { AnswerFrame, SvcError, TokenUsage } from '@svc/contracts';
import type { Violation } from './guard-chain.ts';

/** What a frame of an answer brings, before any guard has seen it. */
export interface Brought {
  /** Whether it brings a piece of the answer, or its end: the first frames often hold only the role, long before the first text. */
  readonly isAnswer: boolean;
  /** Whether a model wrote some of it. */
  readonly isWritten: boolean;
  /** Bytes of it that are held after it was taken. */
  readonly held: number;
  /** Bytes of it that are held until it was taken, which takes as long as its reader. */
  readonly passing: number;
}

/** The answer of one attempt, while it is sent to the caller. */
export interface StreamedAnswer {
  /** Whether anything was sent. */
  readonly begun: boolean;
  /** Whether any of the answer has arrived. */
  readonly seen: boolean;
  /** In the words of the chat format; null: the provider gave none. */
  readonly finish_reason: string | null;
  /** Why nothing more may be sent; null while text may be sent. */
  readonly violation: Violation | null;
  /** Names of the fields that were left out so far. */
  readonly left_out: readonly string[];
  /** Whether text waits to be shown to the guards together with more text that has arrived already. */
  readonly waits: boolean;
  flush(): Promise<void>;
  /** Others get their turn where this answer has worked for long. */
  turn(): Promise<void> | undefined;
  /** Looks at the next frame, which is then taken. @throws {ProviderError} `malformed` */
  look(frame: AnswerFrame): Brought;
  take(frame: AnswerFrame): Promise<void>;
  /** What it used, as the provider says or as it was counted. @param ended whether it is complete */
  usage(ended: boolean): Promise<TokenUsage>;
  /** Ends a complete answer. Held parts are sent; the last frames wait for the evidence. */
  close(usage: TokenUsage): Promise<Violation | SvcError | null>;
  /** Asks the guards for their final verdict on the received text, and records it unless the answer is discarded. */
  settle(usage: TokenUsage, recorded: boolean): Promise<Violation | null>;
}
