import { setTimeout as sleep } from 'node:timers/promises';
import { isObject, type JsonObject } from '@svc/contracts';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { CliError } from '../errors/cli-error.ts';
import { answerOf, type Hints, notOurs, refusal, sendTo } from '../served/ask-server.ts';
import { runPath } from '../served/runs-of-server.ts';
import { linesFrom } from './text-lines.ts';

const CHAT_HINTS: Hints = {
  refused: 'SVC_KEY must be an API key with the role call for this route',
  away: 'is the server running?',
};

export interface ChatTurn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

/** How a request ended. `stopped`: by Ctrl-C. */
export interface ChatAnswer {
  readonly status: 'completed' | 'blocked' | 'denied' | 'error' | 'stopped';
  readonly run_id: string | null;
  /** The model's text as far as it arrived. */
  readonly text: string;
  /** Why there is no answer, or not all of it, in one line. Null: it was completed. */
  readonly reason: string | null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number } | null;
}

/** Called while an answer arrives. */
export interface ChatView {
  /** The next piece of the model's text. */
  onText(piece: string): void;
  /** The run waits for an approver. `notice` says who may decide, and where. */
  onPause(notice: string, run_id: string): void;
}

export interface ChatServer {
  readonly server: string;
  /** A route, or a model of a route. */
  readonly model: string;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 5_000;
/** A stop reports one of these in `svc_event`. The last two follow a part of the answer. */
const BLOCKS: ReadonlySet<unknown> = new Set(['blocked', 'stream_violation', 'late_violation']);
/** Codes of stops on routes with `stops: error`. */
const STOP_CODES: Readonly<Record<string, string>> = { 'SVC-RUN-008': 'blocked', 'SVC-RUN-009': 'paused' };

/**
 * Sends a conversation and reads the answer as a stream. A paused run is waited for until it is decided.
 * @param signal ends the answer, or the wait, with the status `stopped`
 * @throws {CliError} if the server cannot be reached, or refuses the request or the key
 */
export async function askModel(
  to: ChatServer,
  messages: readonly ChatTurn[],
  view: ChatView,
  signal: AbortSignal,
): Promise<ChatAnswer> {
  const read = new StreamedAnswer(view);
  try {
    const body = { model: to.model, messages, stream: true, stream_options: { include_usage: true } };
    const { response } = await sendTo(to.server, { method: 'POST', path: '/v1/chat/completions', body, signal }, CHAT_HINTS);
    read.run_id = response.headers.get('x-svc-run-id');
    if (response.ok && response.body !== null) for await (const frame of framesOf(response.body)) read.take(frame);
    else {
      const body = await bodyOf(response);
      const refused = refusal(to.server, { status: response.status, body }, CHAT_HINTS);
      read.takeError(body, refused.message);
      if (read.run_id === null) throw refused;
    }
  } catch (error) {
    if (signal.aborted) return read.answer('stopped', 'stopped');
    if (error instanceof CliError) throw error;
    return read.answer('error', 'the connection was lost before the answer was complete');
  }
  if (read.stop !== 'paused' || read.run_id === null) return read.ended();
  view.onPause(read.reason ?? 'the run waits for approval', read.run_id);
  return decided(to.server, read, signal);
}

/** Waits until the run is decided, and fetches its answer. */
async function decided(server: string, read: StreamedAnswer, signal: AbortSignal): Promise<ChatAnswer> {
  const path = runPath(read.run_id ?? '');
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 1.5, MAX_WAIT_MS)) {
    const found = await answerOf(server, { method: 'GET', path }, CHAT_HINTS);
    if (!found.ok) throw refusal(server, found, CHAT_HINTS);
    const status = isObject(found.body) ? found.body.status : undefined;
    if (status !== 'paused' && status !== 'pending' && status !== 'running') break;
    await sleep(wait, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return read.answer('stopped', 'still waiting for approval');
  }
  const { ok, body } = await answerOf(server, { method: 'GET', path: `${path}/response` }, CHAT_HINTS);
  if (!ok || !Value.Check(Decided, body)) throw notOurs(server);
  read.takeText(body.response ?? '', body.status);
  read.takeUsage(body.completion);
  if (body.status === 'completed') return read.answer('completed', null);
  const status = body.status === 'blocked' || body.status === 'denied' ? body.status : 'error';
  return read.answer(
    status,
    body.reason == null ? `the run ended with status ${body.status}` : `the run was ${body.status}: ${body.reason}`,
  );
}

const Usage = Type.Object({ prompt_tokens: Type.Number(), completion_tokens: Type.Number() });

const Decided = Type.Object({
  completion: Type.Optional(Type.Unknown()),
  status: Type.String(),
  response: Type.Union([Type.String(), Type.Null()]),
  reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});

const Frame = Type.Object({
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      delta: Type.Object({
        content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        refusal: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
    }),
  ),
  svc_event: Type.Optional(Type.String()),
});

/** Collects the frames of an answer. */
class StreamedAnswer {
  run_id: string | null = null;
  /** `svc_event` of a stop. Null: none yet. */
  stop: string | null = null;
  reason: string | null = null;
  readonly #view: ChatView;
  #text = '';
  #usage: ChatAnswer['usage'] = null;
  #done = false;

  constructor(view: ChatView) {
    this.#view = view;
  }

  take(frame: string): void {
    if (frame === '[DONE]') {
      this.#done = true;
      return;
    }
    const parsed: unknown = JSON.parse(frame);
    if (isObject(parsed) && isObject(parsed.error)) {
      this.takeError(parsed, String(parsed.error.message));
      return;
    }
    if (!Value.Check(Frame, parsed)) return;
    const { choices, svc_event } = parsed;
    this.takeUsage(parsed);
    const { content, refusal: refused } = choices.find(({ index }) => index === 0)?.delta ?? {};
    const text = content ?? refused ?? '';
    if (svc_event !== undefined) {
      this.stop = svc_event;
      this.reason = `${this.reason ?? ''}${text}`.trim() || this.reason;
    } else if (text !== '') this.takeText(text, 'completed');
  }

  /** @param completion a frame or an answer, which may have `usage` */
  takeUsage(completion: unknown): void {
    const usage = isObject(completion) ? completion.usage : undefined;
    // A request that was stopped before its model was called has used nothing.
    if (!Value.Check(Usage, usage) || usage.prompt_tokens + usage.completion_tokens === 0) return;
    this.#usage = { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens };
  }

  /** @param otherwise the reason if the error has no message */
  takeError(error: unknown, otherwise: string): void {
    const { code, detail, run_id, error: nested }: JsonObject = isObject(error) ? error : {};
    const named = typeof code === 'string' ? code : isObject(nested) ? nested.code : undefined;
    const stop = STOP_CODES[String(named)];
    if (typeof run_id === 'string') this.run_id = run_id;
    this.stop = stop ?? 'error';
    const message = typeof detail === 'string' ? detail : isObject(nested) ? nested.message : undefined;
    this.reason = typeof message === 'string' ? message : otherwise;
  }

  takeText(text: string, status: string): void {
    if (status !== 'completed') return;
    this.#text += text;
    this.#view.onText(text);
  }

  ended(): ChatAnswer {
    if (this.stop === null)
      return this.#done
        ? this.answer('completed', null)
        : this.answer('error', 'the stream ended before the answer was complete');
    if (BLOCKS.has(this.stop)) return this.answer('blocked', this.reason);
    return this.answer(this.stop === 'denied' ? 'denied' : 'error', this.reason);
  }

  answer(status: ChatAnswer['status'], reason: string | null): ChatAnswer {
    return { status, run_id: this.run_id, text: this.#text, reason, usage: this.#usage };
  }
}

/** The data of server-sent events. The gateway writes each as one line. */
async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const texts: AsyncIterable<string> = body.pipeThrough(new TextDecoderStream());
  for await (const line of linesFrom(texts)) if (line.startsWith('data:')) yield line.slice('data:'.length).trim();
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return null;
  }
}
