import {
  type AnswerBody,
  type AnswerFrame,
  type ChatChunkChoice,
  type ChatCompletionChunk,
  type ChatMessage,
  type ChatRequest,
  isObject,
  isSvcError,
  SvcError,
  withoutDate,
} from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import type { RuntimeRoute } from '@svc/kernel/routes';
import { CHAT, present } from '@svc/protocols';
import { assertKnownRoles } from '@svc/runtime/texts';
import { openAiError } from '../errors.ts';
import type { AnswerWriter, DoorRequest } from './door.ts';
import { EVENT_STREAM, KEEP_ALIVE } from './event-stream.ts';
import { lastChunks } from './last-chunks.ts';
import { receiptsOf } from './receipts-of.ts';
import type { StopForm } from './stop-form.ts';
import { stoppedCompletion } from './stopped-completion.ts';
import { UnsupportedFields } from './unsupported-fields.ts';
import { mayPass } from './vendor-tools.ts';

/** A request in OpenAI's chat format. @throws {SvcError} SVC-REQ-001 */
export function readChat({ stream, ...asked }: ChatRequest, { vendor_tools }: Pick<RuntimeRoute, 'vendor_tools'>): DoorRequest {
  const left = new UnsupportedFields();
  const request = withoutVendorTools(withoutSearch(asked, vendor_tools, left), vendor_tools, left);
  const messages = chatMessages(request.messages);
  const include_usage = request.stream_options?.include_usage === true;
  const writer = new ChatWriter(request.model, include_usage);
  return {
    protocol: CHAT,
    request: { ...request, messages },
    stream: stream === true,
    unsupported: left.paths,
    writer,
  };
}

/** Fields that make a vendor search the web: that of OpenAI's search models, and OpenRouter's plugins. */
const SEARCHES = ['web_search_options', 'plugins'] as const;

function withoutSearch(request: ChatRequest, listed: readonly string[], left: UnsupportedFields): ChatRequest {
  if (listed.includes('web_search')) return request;
  const found = SEARCHES.filter((name) => request[name] != null);
  for (const name of found) left.note('', name);
  return found.length === 0 ? request : { ...request, ...Object.fromEntries(found.map((name) => [name, undefined])) };
}

/** Removes the tools that the route does not allow. If no tool remains, also removes the tool choice. */
function withoutVendorTools(request: ChatRequest, listed: readonly string[], left: UnsupportedFields): ChatRequest {
  if (!Array.isArray(request.tools)) return request;
  const { tools, tool_choice, parallel_tool_calls, ...rest } = request;
  const passes = (tool: unknown): boolean => !isObject(tool) || mayPass(tool.type, listed);
  const passing = tools.filter(passes);
  if (passing.length === tools.length) return request;
  for (const tool of tools) if (!passes(tool)) left.note('tools', withoutDate(tool.type));
  if (passing.length === 0) return rest;
  const chosen = isObject(tool_choice) && !mayPassAsChoice(tool_choice.type, listed) ? undefined : tool_choice;
  return { ...rest, ...present({ tool_choice: chosen, parallel_tool_calls }), tools: passing };
}

function mayPassAsChoice(type: unknown, listed: readonly string[]): boolean {
  return type === 'allowed_tools' || mayPass(type, listed);
}

/** The messages of a request, in the form that a run needs. @throws {SvcError} SVC-REQ-001 */
export function chatMessages(messages: readonly ChatMessage[]): ChatMessage[] {
  assertKnownRoles(messages);
  return messages.map(withoutNulls);
}

/** Removes nulls, which Python's `model_dump()` writes for absent fields of a message. Upstreams accept null only for `content`. */
function withoutNulls(message: ChatMessage): ChatMessage {
  let plain = message;
  for (const name in message) {
    if (name === 'content' || Reflect.get(message, name) !== null) continue;
    if (plain === message) plain = { ...message };
    Reflect.deleteProperty(plain, name);
  }
  return plain;
}

/** Converts values of the chat format to the format of a door. */
export interface ChatForm {
  /** The prefix of ids, and the `object` of a frame. */
  readonly names: readonly [id: string, frame: string];
  whole(completion: ReturnType<typeof stoppedCompletion> | AnswerBody): object;
  /** Null: nothing is sent. */
  frame(chunk: AnswerFrame, isLast: boolean): object | null;
}

const CHAT_FORM: ChatForm = {
  names: ['chatcmpl', 'chat.completion.chunk'],
  whole: (completion) => completion,
  frame: (chunk) => chunk,
};

/** Writes answers of chats, in the chat format or another one. */
export class ChatWriter implements AnswerWriter {
  readonly head = EVENT_STREAM;
  readonly held = 0;
  readonly #route: string;
  readonly #include_usage: boolean;
  readonly #form: ChatForm;
  readonly #ending = CHAT.frames.ending();
  /** Choices whose role was sent. */
  readonly #spoken = new Set<number>();

  constructor(route: string, include_usage: boolean, form = CHAT_FORM) {
    this.#route = route;
    this.#include_usage = include_usage;
    this.#form = form;
  }

  whole(outcome: RunOutcome, form: StopForm): object {
    return this.#form.whole(outcome.completion ?? stoppedCompletion(outcome, form));
  }

  piece(frame: AnswerFrame): string {
    this.#ending.take(frame);
    const shown = this.#shown(frame as ChatCompletionChunk, false);
    const said = shown && this.#form.frame(shown, false);
    return said === null ? '' : frameText(said);
  }

  *end(outcome: RunOutcome, form: StopForm): Generator<string> {
    const { row, error } = outcome;
    const frames = error === null ? this.#lastChunks(outcome, form) : [this.#errorFrame(row.run_id, row.route, error)];
    let last: object | null = null;
    for (const frame of frames) {
      const chunk = error === null ? this.#shown(frame as ChatCompletionChunk, true) : null;
      const shown = error === null ? chunk && this.#form.frame(chunk, true) : frame;
      if (shown === null) continue;
      if (last !== null) yield frameText(last);
      last = shown;
    }
    yield frameText({ ...last, ...receiptsOf(outcome) });
    yield 'data: [DONE]\n\n';
  }

  keepAlive(): string {
    return KEEP_ALIVE;
  }

  /** Without evidence, there is no `[DONE]`. */
  failed(run_id: string, error: unknown): string {
    return frameText(this.#errorFrame(run_id, this.#route, error));
  }

  /** The frame for a run that failed after its response had begun. It has no `choices`, or clients would mistake it for part of the answer. */
  #errorFrame(run_id: string, route: string, thrown: unknown): AnswerFrame {
    const error = isSvcError(thrown) ? thrown : new SvcError('SVC-INT-001', 'internal error', { cause: thrown });
    const [prefix, object] = this.#form.names;
    const created = Math.floor(Date.now() / 1000);
    // `error` comes first, because clients look only there.
    return { error: openAiError(error), id: `${prefix}-${run_id}`, object, created, model: route, svc_run_id: run_id };
  }

  #lastChunks(outcome: RunOutcome, form: StopForm): Iterable<AnswerFrame> {
    const chunks = lastChunks(outcome, form, this.#ending);
    return this.#include_usage ? withUsageOnce(chunks) : chunks;
  }

  /** The chunk for the client; null if it contains only usage that is not sent now, because clients would add up running totals. */
  #shown(chunk: ChatCompletionChunk, isLast: boolean): AnswerFrame | null {
    const shown = chunk.choices.some((choice) => this.#mustChange(choice))
      ? { ...chunk, choices: chunk.choices.map((choice) => this.#withRole(choice)) }
      : chunk;
    if (chunk.usage === undefined || (this.#include_usage && (isLast || chunk.usage === null))) return shown;
    if (this.#include_usage) return { ...shown, usage: null };
    const { usage, ...rest } = shown;
    return usage !== null && rest.choices.length === 0 ? null : rest;
  }

  /** Clients concatenate repeated values, so the role is sent once, with the first piece. */
  #mustChange({ index, delta }: ChatChunkChoice): boolean {
    return !this.#spoken.has(index) || delta.role !== undefined;
  }

  #withRole(choice: ChatChunkChoice): ChatChunkChoice {
    const { role, ...said } = choice.delta;
    if (this.#spoken.has(choice.index)) return { ...choice, delta: said };
    this.#spoken.add(choice.index);
    return { ...choice, delta: { role: role ?? 'assistant', ...said } };
  }
}

/** Some upstreams send usage in several of the last chunks, and clients would add it up. */
function withUsageOnce(chunks: Iterable<AnswerFrame>): AnswerFrame[] {
  const all = [...chunks];
  const last = all.findLastIndex(({ usage }) => usage != null);
  return all.map((chunk, at) => (at < last && chunk.usage != null ? { ...chunk, usage: null } : chunk));
}

function frameText(frame: object): string {
  return `data: ${JSON.stringify(frame)}\n\n`;
}
