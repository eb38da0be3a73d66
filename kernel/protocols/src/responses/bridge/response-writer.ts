import {
  type AnswerFrame,
  type ChatChunkChoice,
  type ChatUsage,
  isObject,
  type JsonObject,
  type JsonValue,
} from '@svc/contracts';
import { finishReason } from '../../common/finish-reason.ts';
import { isText } from '../../common/json-shapes.ts';
import { Lost } from '../../common/lost.ts';
import { CHAT_NAMES } from '../../names/chat.ts';
import { NO_TOKENS, readUsage } from '../../usage/read-usage.ts';
import { openingOf } from '../frames/whole-frames.ts';
import { responsesUsage } from '../usage.ts';
import { CallItem, type CallPiece, VendorItem } from './call-items.ts';
import { type ItemStatus, MessageItem, type OutputItem, ReasoningItem } from './output-items.ts';
import { BREAK, encryptedBlock } from './reasoning.ts';
import type { SpacedName } from './tools-to-chat.ts';

/** What the request asks of the response. */
export interface ResponseWishes {
  readonly spaced: ReadonlyMap<string, SpacedName>;
  /** Whether the caller asked for encrypted reasoning. */
  readonly encrypted: boolean;
}

/** Writes a chat answer as the frames of a response. A whole response equals the result of its frames. */
export class ResponseWriter {
  readonly #wishes: ResponseWishes;
  readonly #run_id: string;
  readonly #begun: JsonObject;
  readonly #items: OutputItem[] = [];
  readonly #calls = new Map<number, CallItem>();
  readonly #lost = new Lost((name) => CHAT_NAMES.has(name));
  #message: MessageItem | null = null;
  #reasoning: ReasoningItem | null = null;

  /** @param begun the response object as it is when the stream starts */
  constructor(run_id: string, begun: JsonObject, wishes: ResponseWishes) {
    this.#run_id = run_id;
    this.#begun = begun;
    this.#wishes = wishes;
  }

  open(): AnswerFrame[] {
    return [...openingOf(this.#begun)];
  }

  take({ role: _, ...delta }: ChatChunkChoice['delta']): AnswerFrame[] {
    const { content, refusal, reasoning_content, reasoning_details, thinking_blocks, ...others } = delta;
    const { vendor_calls, annotations, tool_calls, ...rest } = others;
    this.#lost.noteAll('choices.message', rest);
    const frames: AnswerFrame[] = [];
    const sources = Array.isArray(annotations) ? (annotations as JsonValue[]) : [];
    // Sources that arrive without text belong to the previous text, so they are written before that text ends.
    if (sources.length > 0 && !isText(content)) frames.push(...this.#cite(sources));
    const blocks = this.#wishes.encrypted && Array.isArray(thinking_blocks) ? thinking_blocks : [];
    if (isText(reasoning_content) && !containsAll(blocks, reasoning_content)) frames.push(...this.#think(reasoning_content));
    for (const block of blocks) frames.push(...this.#block(block));
    if (Array.isArray(reasoning_details)) for (const detail of reasoning_details) frames.push(...this.#detail(detail));
    if (Array.isArray(vendor_calls)) for (const call of vendor_calls) frames.push(...this.#vendorCall(call));
    if (isText(content)) frames.push(...this.#say((message) => message.text(content)));
    if (sources.length > 0 && isText(content)) frames.push(...this.#cite(sources));
    if (isText(refusal)) frames.push(...this.#say((message) => message.refusal(refusal)));
    for (const call of tool_calls ?? []) frames.push(...this.#call(call));
    return frames;
  }

  /**
   * Closes the response. In the last frame, `svc_left_out` lists what a response cannot express.
   * @param left_out paths that earlier conversions lost
   */
  close(finish_reason: string | null, usage: ChatUsage | null, left_out: readonly string[]): AnswerFrame[] {
    const reason = REASONS.get(finishReason(finish_reason, this.#calls.size > 0)) ?? null;
    const status: ItemStatus = reason === null ? 'completed' : 'incomplete';
    const frames = this.#items.flatMap((item) => item.close(status));
    const response = {
      ...this.#begun,
      status,
      incomplete_details: reason === null ? null : { reason },
      output: this.#items.map(({ item }) => item),
      usage: usage === null ? null : responsesUsage(readUsage(usage) ?? NO_TOKENS),
    };
    const lost = [...left_out, ...this.#lost.paths];
    return [...frames, { type: `response.${status}`, response, ...(lost.length > 0 && { svc_left_out: lost }) }];
  }

  #think(delta: string): AnswerFrame[] {
    const closed = this.#closeText(this.#message);
    this.#message = null;
    const reasoning = this.#reasoning ?? new ReasoningItem(this.#place);
    const begun = this.#reasoning === null ? this.#add(reasoning) : [];
    this.#reasoning = reasoning;
    return [...closed, ...begun, ...reasoning.text(delta)];
  }

  /** Passes on reasoning that only this API's vendor can read. */
  #detail(detail: unknown): AnswerFrame[] {
    if (!this.#wishes.encrypted || !isObject(detail)) return [];
    return detail.type === 'reasoning.encrypted' && isText(detail.data) ? this.#encrypt(detail.data) : [];
  }

  /** Writes a signed thinking block as its own item. The block's text may have started the item already. */
  #block(block: unknown): AnswerFrame[] {
    const encrypted = encryptedBlock(block);
    if (encrypted === null || !isObject(block)) return [];
    const thinking = typeof block.thinking === 'string' ? block.thinking : '';
    const isBegun = this.#reasoning?.isOpen === true && this.#reasoning.said === thinking;
    if (isBegun) return this.#encrypt(encrypted);
    const closed = this.#closeText(this.#reasoning);
    this.#reasoning = null;
    return [...closed, ...(thinking === '' ? [] : this.#think(thinking)), ...this.#encrypt(encrypted)];
  }

  /** Adds encrypted reasoning to the summary that precedes it, or else writes a new item. */
  #encrypt(data: string): AnswerFrame[] {
    const closed = this.#closeText(this.#message);
    const open = this.#reasoning?.isOpen === true ? this.#reasoning : null;
    const reasoning = open ?? new ReasoningItem(this.#place);
    const begun = open === null ? this.#add(reasoning) : [];
    reasoning.encrypt(data);
    this.#message = null;
    this.#reasoning = null;
    return [...closed, ...begun, ...reasoning.close('completed')];
  }

  #vendorCall(call: unknown): AnswerFrame[] {
    if (!isObject(call)) return [];
    const closed = [...this.#closeText(this.#reasoning), ...this.#closeText(this.#message)];
    this.#reasoning = null;
    this.#message = null;
    const item = new VendorItem(call, this.#items.length);
    this.#items.push(item);
    return [...closed, ...item.frames];
  }

  #say(say: (message: MessageItem) => AnswerFrame[]): AnswerFrame[] {
    const closed = this.#closeText(this.#reasoning);
    this.#reasoning = null;
    const open = this.#message?.isOpen === true ? this.#message : null;
    const message = open ?? new MessageItem(this.#place);
    this.#message = message;
    return [...closed, ...(open === null ? this.#add(message) : []), ...say(message)];
  }

  #cite(annotations: readonly JsonValue[]): AnswerFrame[] {
    const flat = annotations.map(flatAnnotation);
    if (this.#message === null) return this.#say((message) => message.annotate(flat));
    return this.#message.annotate(flat);
  }

  /** Calls stay open until the end, because pieces of several calls may alternate. */
  #call(piece: CallPiece & { readonly index: number }): AnswerFrame[] {
    const known = this.#calls.get(piece.index);
    if (known !== undefined) return known.take(piece);
    const closed = [...this.#closeText(this.#reasoning), ...this.#closeText(this.#message)];
    this.#reasoning = null;
    const call = new CallItem(this.#place, piece, this.#wishes.spaced);
    this.#calls.set(piece.index, call);
    return [...closed, ...this.#add(call), ...call.take(piece)];
  }

  #closeText(item: MessageItem | ReasoningItem | null): AnswerFrame[] {
    return item === null ? [] : item.close('completed');
  }

  get #place() {
    return { run_id: this.#run_id, output_index: this.#items.length };
  }

  #add(item: OutputItem): AnswerFrame[] {
    this.#items.push(item);
    return [{ type: 'response.output_item.added', output_index: this.#items.length - 1, item: item.item }];
  }
}

/** Reasons of incomplete responses, by finish reason. */
const REASONS: ReadonlyMap<string, string> = new Map<string, string>([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
]);

/** Whether the thinking blocks contain all of the plain text. */
function containsAll(blocks: readonly unknown[], text: string): boolean {
  const thoughts = blocks.flatMap((block) => (isObject(block) && isText(block.thinking) ? [block.thinking] : []));
  const signed = blocks.every((block) => encryptedBlock(block) !== null);
  return signed && thoughts.length > 0 && (thoughts.join('') === text || thoughts.join(BREAK) === text);
}

/** In the chat format, the fields of a citation are one level deeper. */
function flatAnnotation(annotation: JsonValue): JsonValue {
  if (!isObject(annotation) || !isObject(annotation.url_citation)) return annotation;
  const { url_citation, ...rest } = annotation;
  return { ...rest, ...url_citation };
}
