import {
  type ChatCompletionChunk,
  type ChatUsage,
  isObject,
  isSvcError,
  type JsonValue,
  meaningOf,
  SvcError,
} from '@svc/contracts';
import type { RunOutcome } from '@svc/kernel';
import { FINAL, openAiError } from '../../errors.ts';
import type { AnswerWriter } from '../door.ts';
import { isText } from '../is-text.ts';
import { lastChunks, receiptsOf } from '../last-chunks.ts';
import type { StopForm } from '../stop-form.ts';
import { CallItem, type CallPiece, type Event, type ItemStatus, MessageItem, type OutputItem, ReasoningItem } from './items.ts';
import type { SpacedName } from './tools.ts';
import { VendorItem } from './vendor-item.ts';

/** What the request says of its response. */
export interface ResponseWishes {
  /** Settings of the request, with their defaults: its response repeats them. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly spaced: ReadonlyMap<string, SpacedName>;
  /** Whether reasoning is told that only its vendor reads. */
  readonly encrypted: boolean;
}

/** Writes an answer as a response, or as its events. A whole response is what its events would have come to. */
export class ResponsesWriter implements AnswerWriter {
  readonly #wishes: ResponseWishes;
  readonly #route: string;
  readonly #items: OutputItem[] = [];
  readonly #calls = new Map<number, CallItem>();
  #message: MessageItem | null = null;
  #reasoning: ReasoningItem | null = null;
  #head: { readonly run_id: string; readonly created_at: number } | null = null;
  #number = 0;
  #finish_reason: string | null = null;
  #usage: ChatUsage | null = null;
  /** Fields of the last chunk that are the gateway's own. */
  #ours: Record<string, unknown> = {};

  constructor(route: string, wishes: ResponseWishes) {
    this.#route = route;
    this.#wishes = wishes;
  }

  whole(outcome: RunOutcome, form: StopForm): object {
    this.#take(outcome, form);
    const { status } = this.#ending();
    for (const item of this.#items) item.close(status);
    return this.#response(status, receiptsOf(outcome));
  }

  piece({ id, created, choices, usage, ...fields }: ChatCompletionChunk): string {
    const text = this.#begin(id.slice('chatcmpl-'.length), created);
    this.#usage = usage ?? this.#usage;
    for (const [name, value] of Object.entries(fields)) if (name.startsWith('svc_')) this.#ours[name] = value;
    const choice = choices.find(({ index }) => index === 0);
    if (choice === undefined) return text;
    this.#finish_reason = choice.finish_reason ?? this.#finish_reason;
    return text + this.#delta(choice.delta);
  }

  *end(outcome: RunOutcome, form: StopForm): Generator<string> {
    const { row, error } = outcome;
    if (error !== null) {
      yield this.failed(row.run_id, error, receiptsOf(outcome));
      return;
    }
    yield* this.#take(outcome, form);
    const { status } = this.#ending();
    for (const item of this.#items) for (const event of item.close(status)) yield this.#text([event]);
    const response = this.#response(status, receiptsOf(outcome));
    yield this.#text([[`response.${status}`, { response }]]);
  }

  /** A stop completes the response: clients try again what is incomplete. */
  #take(outcome: RunOutcome, form: StopForm): string[] {
    const pieces = lastChunks(outcome, form, true).map((chunk) => this.piece(chunk));
    if (outcome.stop !== null) this.#finish_reason = 'stop';
    return pieces;
  }

  /** Of a response that nobody has heard of yet, its first events: clients want those first. */
  keepAlive(run_id: string): string {
    return this.#begin(run_id, Math.floor(Date.now() / 1000)) || this.#text([['keepalive', {}]]);
  }

  failed(run_id: string, thrown: unknown, receipts: object = { svc_run_id: run_id }): string {
    const error = isSvcError(thrown) ? thrown : new SvcError('SVC-INT-001', 'internal error', { cause: thrown });
    const begun = this.#begin(run_id, Math.floor(Date.now() / 1000));
    const { message } = openAiError(error);
    const response = { ...this.#response('failed', receipts), error: { code: failureCode(error), message } };
    return begun + this.#text([['response.failed', { response }]]);
  }

  #begin(run_id: string, created_at: number): string {
    if (this.#head !== null) return '';
    this.#head = { run_id, created_at };
    const response = this.#response('in_progress', {});
    return this.#text([
      ['response.created', { response }],
      ['response.in_progress', { response }],
    ]);
  }

  #delta({
    content,
    refusal,
    reasoning_content,
    reasoning_details,
    vendor_calls,
    annotations,
    tool_calls,
  }: ChatCompletionChunk['choices'][number]['delta']): string {
    const texts: string[] = [];
    const sources = Array.isArray(annotations) ? annotations : [];
    // Sources that come without a text are those of the text before, which ends with what follows.
    if (sources.length > 0 && !isText(content)) texts.push(this.#cite(sources));
    if (isText(reasoning_content)) texts.push(this.#think(reasoning_content));
    if (Array.isArray(reasoning_details)) for (const detail of reasoning_details) texts.push(this.#encrypt(detail));
    if (Array.isArray(vendor_calls)) for (const call of vendor_calls) texts.push(this.#vendorCall(call));
    if (isText(content)) texts.push(this.#say((message) => message.text(content)));
    if (sources.length > 0 && isText(content)) texts.push(this.#cite(sources));
    if (isText(refusal)) texts.push(this.#say((message) => message.refusal(refusal)));
    for (const call of tool_calls ?? []) texts.push(this.#call(call));
    return texts.join('');
  }

  #think(delta: string): string {
    const closed = this.#closeText(this.#message);
    this.#message = null;
    const reasoning = this.#reasoning ?? new ReasoningItem(this.#place);
    const begun = this.#reasoning === null ? this.#add(reasoning) : '';
    this.#reasoning = reasoning;
    return closed + begun + this.#text(reasoning.text(delta));
  }

  /** Reasoning for its vendor: with the summary before it, else an item of its own. Behind guards it comes when all text has left. */
  #encrypt(detail: unknown): string {
    if (!this.#wishes.encrypted || !isObject(detail) || detail.type !== 'reasoning.encrypted' || !isText(detail.data)) return '';
    const closed = this.#closeText(this.#message);
    const open = this.#reasoning?.isOpen === true ? this.#reasoning : null;
    const reasoning = open ?? new ReasoningItem(this.#place);
    const begun = open === null ? this.#add(reasoning) : '';
    reasoning.encrypt(detail.data);
    this.#message = null;
    this.#reasoning = null;
    return closed + begun + this.#text(reasoning.close('completed'));
  }

  #vendorCall(call: unknown): string {
    if (!isObject(call)) return '';
    const closed = this.#closeText(this.#reasoning) + this.#closeText(this.#message);
    this.#reasoning = null;
    this.#message = null;
    const item = new VendorItem(call, this.#items.length);
    this.#items.push(item);
    return closed + this.#text(item.events);
  }

  #say(say: (message: MessageItem) => Event[]): string {
    const closed = this.#closeText(this.#reasoning);
    this.#reasoning = null;
    const open = this.#message?.isOpen === true ? this.#message : null;
    const message = open ?? new MessageItem(this.#place);
    this.#message = message;
    return closed + (open === null ? this.#add(message) : '') + this.#text(say(message));
  }

  #cite(annotations: readonly JsonValue[]): string {
    const flat = annotations.map(flatAnnotation);
    if (this.#message === null) return this.#say((message) => message.annotate(flat));
    return this.#text(this.#message.annotate(flat));
  }

  /** Calls stay open until the end: their pieces may come in turns. */
  #call(piece: CallPiece & { readonly index: number }): string {
    const known = this.#calls.get(piece.index);
    if (known !== undefined) return this.#text(known.take(piece));
    const closed = this.#closeText(this.#reasoning) + this.#closeText(this.#message);
    this.#reasoning = null;
    const call = new CallItem(this.#place, piece, this.#wishes.spaced);
    this.#calls.set(piece.index, call);
    return closed + this.#add(call) + this.#text(call.take(piece));
  }

  #closeText(item: MessageItem | ReasoningItem | null): string {
    return item === null ? '' : this.#text(item.close('completed'));
  }

  get #place() {
    return { run_id: this.#head?.run_id ?? '', output_index: this.#items.length };
  }

  #add(item: OutputItem): string {
    this.#items.push(item);
    return this.#text([['response.output_item.added', { output_index: this.#items.length - 1, item: item.item }]]);
  }

  #ending(): { status: ItemStatus; reason: string | null } {
    switch (this.#finish_reason) {
      case 'length':
        return { status: 'incomplete', reason: 'max_output_tokens' };
      case 'content_filter':
        return { status: 'incomplete', reason: 'content_filter' };
      default:
        return { status: 'completed', reason: null };
    }
  }

  #response(status: ItemStatus | 'in_progress' | 'failed', receipts: object): object {
    const { reason } = this.#ending();
    return {
      id: `resp_${this.#head?.run_id}`,
      object: 'response',
      created_at: this.#head?.created_at,
      status,
      error: null,
      incomplete_details: status === 'incomplete' ? { reason } : null,
      model: this.#route,
      output: this.#items.map(({ item }) => item),
      access_programs: null,
      ...this.#wishes.settings,
      usage: this.#usage === null ? null : usageOf(this.#usage),
      ...this.#ours,
      ...receipts,
    };
  }

  #text(events: readonly Event[]): string {
    return events
      .map(([type, fields]) => {
        const event = JSON.stringify({ type, sequence_number: this.#number++, ...fields });
        return `event: ${type}\ndata: ${event}\n\n`;
      })
      .join('');
  }
}

/** The codes of a failed response that clients act on; the others are `server_error` to them. */
function failureCode({ code, status, upstream }: SvcError): string {
  if (code.startsWith('SVC-PROV') && upstream !== undefined && meaningOf(upstream.code) !== undefined) return upstream.code;
  if (FINAL.has(code)) return 'invalid_prompt';
  return status === 429 ? 'rate_limit_exceeded' : 'server_error';
}

/** The fields of a citation lie one level deeper in the chat format. */
function flatAnnotation(annotation: JsonValue): JsonValue {
  if (!isObject(annotation) || !isObject(annotation.url_citation)) return annotation;
  const { url_citation, ...rest } = annotation;
  return { ...rest, ...url_citation };
}

function writtenToCache(read: ChatUsage['prompt_tokens_details']): number {
  const tokens = read?.cache_creation_tokens;
  return typeof tokens === 'number' ? tokens : 0;
}

function usageOf({ prompt_tokens, completion_tokens, total_tokens, ...details }: ChatUsage): object {
  const { prompt_tokens_details: read, completion_tokens_details: written } = details;
  const reasoning_tokens = isObject(written) && typeof written.reasoning_tokens === 'number' ? written.reasoning_tokens : 0;
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cached_tokens: read?.cached_tokens ?? 0, cache_write_tokens: writtenToCache(read) },
    output_tokens: completion_tokens,
    output_tokens_details: { reasoning_tokens },
    total_tokens,
  };
}
