import type { ChatCompletionChunk } from '@svc/contracts';

/** Where the frames of a streamed answer go. */
export interface AnswerSink {
  /** Called once, before the first frame: the run is on disk, and the response may begin, also while there is no frame yet. */
  ready(run_id: string): void;
  /** Takes a frame. A promise means that the reader is slow: it resolves when more may come. Never rejects. */
  write(frame: ChatCompletionChunk): Promise<void> | undefined;
}
