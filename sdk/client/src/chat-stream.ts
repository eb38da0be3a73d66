import { framesOf } from './frames.ts';
import type { ChatCompletionChunk, ChatErrorFrame } from './openapi.ts';
import type { Deadline } from './transport.ts';

/** A stream failed after it had begun. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  /** `SVC-…` if the gateway reported an error; null if the connection ended early. */
  readonly code: string | null;
  readonly run_id: string | null;

  constructor(message: string, code: string | null, run_id: string | null) {
    super(message);
    this.code = code;
    this.run_id = run_id;
  }
}

/** Why a guard or an approver stopped a streamed answer. */
export type StreamStop = NonNullable<ChatCompletionChunk['svc_event']>;

const DONE = '[DONE]';

function isError(frame: ChatCompletionChunk | ChatErrorFrame): frame is ChatErrorFrame {
  return 'error' in frame;
}

/**
 * A streamed answer. Iterate over its chunks once. If you leave the loop early, the connection closes and the gateway ends the run. `stop`, `run_id`
 * and `evidence` are set when the loop has ended.
 */
export class ChatStream implements AsyncIterable<ChatCompletionChunk> {
  readonly #body: ReadableStream<Uint8Array>;
  readonly #deadline: Deadline;
  /** Taken from the response header, so it is set from the start. */
  readonly run_id: string | null;
  /** Null if the answer ended normally. */
  stop: StreamStop | null = null;
  /** `<seq> <hash>` of the run's ledger record. Null while the run waits for an approver. */
  evidence: string | null = null;

  constructor(response: Response, deadline: Deadline) {
    if (response.body === null) throw new StreamError('the response has no body', null, null);
    this.#body = response.body;
    this.#deadline = deadline;
    this.run_id = response.headers.get('x-svc-run-id');
  }

  /** @throws {StreamError} if the stream fails */
  async *[Symbol.asyncIterator](): AsyncGenerator<ChatCompletionChunk, void> {
    try {
      for await (const frame of framesOf(this.#body, this.#deadline)) {
        if (frame === DONE) return;
        const chunk: ChatCompletionChunk | ChatErrorFrame = JSON.parse(frame);
        if (isError(chunk)) throw new StreamError(chunk.error.message, chunk.error.code, this.run_id);
        this.stop = chunk.svc_event ?? this.stop;
        this.evidence = chunk.svc_evidence ?? this.evidence;
        yield chunk;
      }
      throw new StreamError('the stream ended before the answer was complete', null, this.run_id);
    } finally {
      this.#deadline.abort();
    }
  }

  /** Reads to the end and resolves to the text of the first choice. @throws {StreamError} */
  async text(): Promise<string> {
    let text = '';
    for await (const { choices } of this) text += choices.find(({ index }) => index === 0)?.delta.content ?? '';
    return text;
  }
}
