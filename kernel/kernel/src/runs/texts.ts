import type { AddedContext, Segment, SkippedPart, Steps, SvcError } from '@svc/contracts';
import type { GuardedRequest, PipelineRun } from './pipeline-run.ts';

/** Port: the texts of requests and answers, as guards see them. */
export interface Texts {
  /** A request's texts, or why they cannot be checked. `admit` is asked before JSON inside a text is parsed. Edits change the request. */
  ofRequest(asked: AskedTexts, numbers: boolean, admit?: Admit): Payload | SvcError;
  /** The texts of the run's answer, or why they cannot be checked. Edits are applied to the answer only if `enforces` is true. */
  ofAnswer(run: PipelineRun, numbers: boolean, enforces: boolean): Payload | SvcError;
  /** Adds a guard's text to a request. @returns its texts after that */
  added(asked: AskedTexts, numbers: boolean, context: AddedContext): Payload;
}

export type AskedTexts = Pick<GuardedRequest, 'protocol' | 'request' | 'route'>;

export type Admit = (values: number) => boolean;

export interface Payload {
  /** Parts that no guard can read. */
  readonly skipped: readonly SkippedPart[];
  /** The texts that a node of this scope sees. */
  seen(scope: 'all' | 'new', numbers?: boolean): Seen;
  /** Yields to other work before a node checks many texts; null if there are few. */
  turn(principal_id: string): Promise<void> | null;
}

/** The texts that nodes of one scope see. */
export interface Seen {
  readonly segments: readonly Segment[];
  readonly scanned: Scanned;
  /**
   * Checks a guard's edits and the parts that it withholds. If `applies`, also changes the payload, once the iterator is finished.
   * @returns whether both are valid; if not, nothing has changed
   */
  edit(edits: readonly unknown[], applies: boolean, withheld?: unknown): Steps<boolean>;
}

/** The size of what a guard checked, for its event. */
export interface Scanned {
  readonly segments: number;
  /** UTF-16 code units. */
  readonly characters: number;
  readonly skipped: readonly SkippedPart[];
}
