import type { AnswerFrame } from '@svc/contracts';

/** Where the frames of a streamed answer go. */
export interface AnswerSink {
  /** Called once, before the first frame. The run is on disk, so the response may begin even if there is no frame yet. */
  ready(run_id: string): void;
  /** Takes a frame. A promise means that the reader is slow: it resolves when the next frame may be sent. Never rejects. */
  write(frame: AnswerFrame): Promise<void> | undefined;
}

/** Where a streamed answer goes, and whether it is kept. */
export interface StreamTarget {
  readonly sink: AnswerSink;
  /** Whether the answer is also kept, in the form in which it was sent. */
  readonly keep: boolean;
  /** The last frames. They are sent when the run's evidence is on disk. Null until they exist. */
  tail: readonly AnswerFrame[] | null;
}
