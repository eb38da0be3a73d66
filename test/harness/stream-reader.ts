import type { ChatUsage, JsonObject } from '@svc/contracts';
import type { TestGateway } from './gateway.ts';

/** A frame of a streamed answer, as far as tests look into it. */
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

/** A caller who reads a streamed answer frame by frame, when the test wants it. */
export class StreamReader {
  readonly response: Response;
  /** Everything that came, as it came. */
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

  /** Asks for a stream. Resolves with the answer's head, which for a live stream comes with its first frame. */
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

  /** Whether `[DONE]` was the last that came. */
  get done(): boolean {
    return this.raw.endsWith(`data: ${END}\n\n`);
  }

  /** The next frame; null where the body has ended, with `[DONE]` or without. */
  async next(): Promise<Frame | null> {
    for (;;) {
      const data = this.#waiting.shift();
      if (data === undefined && !(await this.#read())) return null;
      if (data !== undefined && data !== END) return JSON.parse(data) as Frame;
    }
  }

  /** All frames from here to the end. */
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

  /** Resolves once this has come, of what {@link rest} or {@link next} reads meanwhile. */
  async heard(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#listening = { text, resolve };
    this.#listen();
    await promise;
  }

  #listen(): void {
    if (this.#listening !== null && this.raw.includes(this.#listening.text)) this.#listening.resolve();
  }

  /** Closes the connection. */
  leave(): void {
    this.#leaving.abort();
    this.#bytes?.cancel().catch(() => undefined);
  }
}

/** Comments keep the connection alive and say nothing. */
function isData(event: string): boolean {
  return event.startsWith('data: ');
}

/** A stream read to its end. */
export async function readStream(
  gateway: TestGateway,
  content: string,
  more: JsonObject = {},
): Promise<{ frames: Frame[]; raw: string; done: boolean; run_id: string; status: number }> {
  const reader = await StreamReader.ask(gateway, content, more);
  const frames = await reader.rest();
  return { frames, raw: reader.raw, done: reader.done, run_id: reader.run_id, status: reader.response.status };
}

/** The text of one field of one choice, its deltas joined. */
export function textOf(frames: readonly Frame[], index = 0, field = 'content'): string {
  return choicesOf(frames, index)
    .map(({ delta }) => (typeof delta[field] === 'string' ? delta[field] : ''))
    .join('');
}

/** An error frame has none. */
function choicesIn(frame: Partial<Frame>): FrameChoice[] {
  return frame.choices ?? [];
}

export function choicesOf(frames: readonly Frame[], index = 0): FrameChoice[] {
  return frames.flatMap(choicesIn).filter((choice) => choice.index === index);
}

/** How each choice ended, in the order of the frames that say so. */
export function endingsOf(frames: readonly Frame[]): [number, string][] {
  return frames
    .flatMap(choicesIn)
    .flatMap(({ index, finish_reason }): [number, string][] => (finish_reason === null ? [] : [[index, finish_reason]]));
}
