import type { ChatUsage, JsonObject } from '@svc/contracts';
import type { TestGateway } from './gateway.ts';

/** The fields of a streamed frame that tests use. */
export interface Frame extends Record<string, unknown> {
  id: string;
  object: string;
  model: string;
  choices: FrameChoice[];
  usage?: ChatUsage | null;
  svc_event?: string;
  svc_run_id?: string;
  svc_evidence?: string;
  error?: JsonObject;
}

interface FrameChoice extends Record<string, unknown> {
  index: number;
  delta: Record<string, unknown>;
  finish_reason: string | null;
}

const END = '[DONE]';

/** A caller that reads a streamed answer frame by frame, on demand. */
export class StreamReader {
  readonly response: Response;
  /** All received text, unchanged. */
  raw = '';
  readonly #leaving: AbortController;
  readonly #bytes: ReadableStreamDefaultReader<string> | undefined;
  readonly #waiting: string[] = [];
  #unfinished = '';
  #listening: { readonly text: string; readonly resolve: () => void } | null = null;

  private constructor(response: Response, leaving: AbortController) {
    this.response = response;
    this.#leaving = leaving;
    this.#bytes = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Requests a stream. Resolves with the response head, which a live stream sends with its first frame. */
  static async ask(
    gateway: TestGateway,
    content: string,
    { principal = 'alice', ...more }: JsonObject = {},
    leaving: AbortController = new AbortController(),
  ): Promise<StreamReader> {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key(String(principal))}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'default', messages: [{ role: 'user', content }], stream: true, ...more }),
      signal: leaving.signal,
    });
    return new StreamReader(response, leaving);
  }

  get run_id(): string {
    return this.response.headers.get('x-svc-run-id') ?? '';
  }

  /** Whether the text ends with `[DONE]`. */
  get done(): boolean {
    return this.raw.endsWith(`data: ${END}\n\n`);
  }

  /** The next frame; null at the end of the body, with or without `[DONE]`. */
  async next(): Promise<Frame | null> {
    for (;;) {
      const data = this.#waiting.shift();
      if (data === undefined && !(await this.#read())) return null;
      if (data !== undefined && data !== END) return JSON.parse(data) as Frame;
    }
  }

  /** All remaining frames. */
  async rest(): Promise<Frame[]> {
    const frames: Frame[] = [];
    for (let frame = await this.next(); frame !== null; frame = await this.next()) frames.push(frame);
    return frames;
  }

  async #read(): Promise<boolean> {
    const piece = await this.#bytes?.read();
    if (piece?.value === undefined) return false;
    this.raw += piece.value;
    this.#listen();
    const events = (this.#unfinished + piece.value).split('\n\n');
    this.#unfinished = events.pop() ?? '';
    this.#waiting.push(...events.filter(isData).map((event) => event.slice('data: '.length)));
    return true;
  }

  /** Resolves once this text has arrived. {@link rest} or {@link next} must be reading. */
  async heard(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#listening = { text, resolve };
    this.#listen();
    await promise;
  }

  #listen(): void {
    if (this.#listening !== null && this.raw.includes(this.#listening.text)) this.#listening.resolve();
  }

  leave(): void {
    this.#leaving.abort();
    this.#bytes?.cancel().catch(() => undefined);
  }
}

/** Comments only keep the connection alive. */
function isData(event: string): boolean {
  return event.startsWith('data: ');
}

/** Reads a whole stream. */
export async function readStream(
  gateway: TestGateway,
  content: string,
  more: JsonObject = {},
): Promise<{ frames: Frame[]; raw: string; done: boolean; run_id: string; status: number }> {
  const reader = await StreamReader.ask(gateway, content, more);
  const frames = await reader.rest();
  return { frames, raw: reader.raw, done: reader.done, run_id: reader.run_id, status: reader.response.status };
}

/** The text of a field of one choice, with its deltas joined. */
export function textOf(frames: readonly Frame[], index = 0, field = 'content'): string {
  return choicesOf(frames, index)
    .map(({ delta }) => (typeof delta[field] === 'string' ? delta[field] : ''))
    .join('');
}

/** An error frame has no choices. */
function choicesIn(frame: Partial<Frame>): FrameChoice[] {
  return frame.choices ?? [];
}

export function choicesOf(frames: readonly Frame[], index = 0): FrameChoice[] {
  return frames.flatMap(choicesIn).filter((choice) => choice.index === index);
}

/** The finish reason of each choice, in order. */
export function endingsOf(frames: readonly Frame[]): [number, string][] {
  return frames
    .flatMap(choicesIn)
    .flatMap(({ index, finish_reason }): [number, string][] => (finish_reason === null ? [] : [[index, finish_reason]]));
}
