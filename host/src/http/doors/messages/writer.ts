import { type ChatCompletionChunk, type ChatUsage, isObject, isSvcError, SvcError } from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { anthropicError } from '../../errors.ts';
import type { AnswerWriter } from '../door.ts';
import { isText } from '../is-text.ts';
import { lastChunks, receiptsOf } from '../last-chunks.ts';
import type { StopForm } from '../stop-form.ts';
import { Blocks, event } from './blocks.ts';

interface Call {
  id: string;
  name: string;
  arguments: string;
}

/** Writes an answer as a message, or as its events. A whole message is what its events would have come to. */
export class MessagesWriter implements AnswerWriter {
  readonly #route: string;
  readonly #input_tokens: number;
  readonly #blocks = new Blocks();
  /** Blocks follow each other, and pieces of calls may come in turns: calls are written when all has come. */
  readonly #calls = new Map<number, Call>();
  #run_id: string | null = null;
  #finish_reason: string | null = null;
  #usage: ChatUsage | null = null;
  #refusal = '';
  /** Fields of the last chunk that are the gateway's own. */
  #ours: Record<string, unknown> = {};

  /** @param input_tokens an estimate for the request, reported until the number is known */
  constructor(route: string, input_tokens = 0) {
    this.#route = route;
    this.#input_tokens = input_tokens;
  }

  whole(outcome: RunOutcome, form: StopForm): object {
    for (const chunk of lastChunks(outcome, form, true)) this.piece(chunk);
    const content = [...this.#blocks.all, ...[...this.#calls.values()].map(useOf)];
    return { ...this.#message(content), ...this.#ending(outcome), ...this.#ours, ...receiptsOf(outcome) };
  }

  piece({ id, choices, usage, ...fields }: ChatCompletionChunk): string {
    this.#usage = usage ?? this.#usage;
    const begun = this.#begin(id.slice('chatcmpl-'.length));
    for (const [name, value] of Object.entries(fields)) if (name.startsWith('svc_')) this.#ours[name] = value;
    const choice = choices.find(({ index }) => index === 0);
    if (choice === undefined) return begun;
    this.#finish_reason = choice.finish_reason ?? this.#finish_reason;
    const { refusal, tool_calls } = choice.delta;
    if (isText(refusal)) this.#refusal += refusal;
    for (const { index, id: call_id, function: called } of tool_calls ?? []) {
      const call = this.#calls.get(index) ?? { id: '', name: '', arguments: '' };
      this.#calls.set(index, call);
      call.id ||= call_id ?? '';
      call.name ||= called?.name ?? '';
      call.arguments += called?.arguments ?? '';
    }
    return begun + this.#blocks.take(choice.delta);
  }

  end(outcome: RunOutcome, form: StopForm): Iterable<string> {
    const { row, error } = outcome;
    if (error !== null) return [this.failed(row.run_id, error)];
    const pieces = lastChunks(outcome, form, true).map((chunk) => this.piece(chunk));
    return [
      ...pieces,
      this.#blocks.close(),
      ...[...this.#calls.values()].map((call, at) => callEvents(call, this.#blocks.all.length + at)),
      event('message_delta', {
        delta: this.#ending(outcome),
        usage: usageOf(this.#usage),
        ...this.#ours,
        ...receiptsOf(outcome),
      }),
      event('message_stop', {}),
    ];
  }

  /** Agents' timers see events only. */
  keepAlive(): string {
    return event('ping', {});
  }

  failed(run_id: string, thrown: unknown): string {
    const error = isSvcError(thrown) ? thrown : new SvcError('SVC-INT-001', 'internal error', { cause: thrown });
    return event('error', { error: anthropicError(error), svc_run_id: run_id });
  }

  #begin(run_id: string): string {
    if (this.#run_id !== null) return '';
    this.#run_id = run_id;
    return event('message_start', { message: this.#message([]) });
  }

  /** A stop in the form of a text ends the turn: for a refusal, clients show a text of their vendor instead. */
  #ending({ stop }: RunOutcome): object {
    const isRefused = this.#refusal !== '' || (stop === null && this.#finish_reason === 'content_filter');
    const stop_details = isRefused ? { type: 'refusal', category: null, explanation: this.#refusal || null } : null;
    return { stop_reason: isRefused ? 'refusal' : this.#stopReason, stop_sequence: null, stop_details };
  }

  get #stopReason(): string {
    if (this.#finish_reason === 'length') return 'max_tokens';
    return this.#calls.size > 0 ? 'tool_use' : 'end_turn';
  }

  #message(content: readonly object[]): object {
    return {
      id: `msg_${this.#run_id}`,
      type: 'message',
      role: 'assistant',
      model: this.#route,
      content,
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: this.#usage === null ? { ...usageOf(null), input_tokens: this.#input_tokens } : usageOf(this.#usage),
    };
  }
}

function useOf({ id, name, arguments: written }: Call): object {
  return { type: 'tool_use', id, name, input: inputOf(written) };
}

/** A model may have written anything, or nothing; the protocol has an object. */
function inputOf(written: string): unknown {
  if (written.trim() === '') return {};
  try {
    const input: unknown = JSON.parse(written);
    return isObject(input) ? input : { arguments: input };
  } catch {
    return { arguments: written };
  }
}

function callEvents({ id, name, arguments: written }: Call, index: number): string {
  const partial_json = JSON.stringify(inputOf(written));
  return [
    event('content_block_start', { index, content_block: { type: 'tool_use', id, name, input: {} } }),
    event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } }),
    event('content_block_stop', { index }),
  ].join('');
}

/** Tokens of the cache are told apart from the others. */
function usageOf(usage: ChatUsage | null): object {
  const { cached_tokens: cache_read_input_tokens = 0, cache_creation_tokens } = usage?.prompt_tokens_details ?? {};
  const cache_creation_input_tokens = typeof cache_creation_tokens === 'number' ? cache_creation_tokens : 0;
  return {
    input_tokens: Math.max((usage?.prompt_tokens ?? 0) - cache_read_input_tokens - cache_creation_input_tokens, 0),
    cache_creation_input_tokens,
    cache_read_input_tokens,
    output_tokens: usage?.completion_tokens ?? 0,
  };
}
