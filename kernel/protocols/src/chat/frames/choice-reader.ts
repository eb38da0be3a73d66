import { type FramePlace, type FrameReading, isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import { says } from '../../common/json-shapes.ts';
import { isOpaque } from '../../common/opaque.ts';
import { ROLES } from '../vocabulary.ts';
import { continuesDetail, growingField } from './assembled-details.ts';
import type { Channels } from './channels.ts';
import { isPart } from './joined-parts.ts';

/** What a chunk brings, while its choices are read. */
export interface ReadingChunk {
  readonly pieces: FrameReading['pieces'][number][];
  readonly signatures: FrameReading['signatures'][number][];
  readonly ends: string[];
  /** Where parts stand: calls, and members that nobody knows. */
  readonly parts: FramePlace[];
  isBeginning: boolean;
  isAnswer: boolean;
}

/** What has come of one choice. */
export class ChoiceReader {
  readonly #index: number;
  readonly #path: string;
  readonly #channels: Channels;
  /** The channels of its fields, by their names. */
  readonly #names = new Map<string, string>();
  readonly #open = new Set<string>();
  /** Where the next block of thinking, and the newest detail of reasoning, stand. */
  #blocks = 0;
  #details = -1;
  #isThinking = false;
  /** The newest detail; at first one that nothing goes on with. */
  #detail: JsonObject = { type: null };
  finish_reason: string | null = null;
  hasOpenParts = false;

  constructor(index: number, channels: Channels) {
    this.#index = index;
    this.#path = `choices.${index}.message`;
    this.#channels = channels;
  }

  /** @param at the place of the delta in its chunk */
  take(delta: JsonObject, at: FramePlace, read: ReadingChunk): void {
    for (const field in delta) {
      const member = delta[field];
      if (member === null || member === undefined || member === '') continue;
      if (field === 'role' && ROLES.has(String(member))) read.isBeginning = true;
      else if (typeof member === 'string') this.#piece(this.#nameOf(field), field, member, [], [...at, field], read);
      else this.#takeMember(field, member, [...at, field], read);
    }
  }

  /** What a choice says after its end goes on until the end of the answer. */
  finish(finish_reason: string, read: ReadingChunk): void {
    this.hasOpenParts = false;
    if (this.finish_reason !== null) return;
    this.finish_reason = finish_reason;
    read.ends.push(...this.#open);
    this.#open.clear();
  }

  #takeMember(field: string, member: JsonValue, at: FramePlace, read: ReadingChunk): void {
    if (isPart(field, member)) {
      read.parts.push(at);
      this.hasOpenParts = true;
    } else if (field === 'thinking_blocks') this.#blocksOf(member, at, read);
    else if (field === 'reasoning_details') this.#detailsOf(member, at, read);
    else read.isAnswer ||= says(member);
    if (field === 'audio' && isObject(member)) this.#transcript(member.transcript ?? '', member, at, read);
  }

  #transcript(text: JsonValue, member: JsonValue, at: FramePlace, read: ReadingChunk): void {
    if (typeof text !== 'string' || text === '') return;
    this.#piece(this.#nameOf('audio.transcript'), 'audio', member, ['transcript'], [...at, 'transcript'], read);
  }

  #blocksOf(member: JsonValue, at: FramePlace, read: ReadingChunk): void {
    if (!Array.isArray(member)) this.#thinking(member, member, [], at, read);
    else for (const [n, block] of member.entries()) this.#thinking(block, member, [n], at, read);
  }

  #detailsOf(member: JsonValue, at: FramePlace, read: ReadingChunk): void {
    if (Array.isArray(member)) for (const [n, detail] of member.entries()) this.#reasoning(detail, member, n, at, read);
  }

  /** Pieces of a block until a signature closes it, or a block that comes whole. */
  #thinking(block: JsonValue, member: JsonValue, place: FramePlace, at: FramePlace, read: ReadingChunk): void {
    const { type, thinking, signature } = isObject(block) ? block : {};
    const channel = `${this.#path}.thinking_blocks.${this.#blocks}.thinking`;
    const isText = type === 'thinking' && (thinking == null || typeof thinking === 'string');
    if (isText && typeof thinking === 'string' && thinking !== '')
      this.#piece(channel, 'thinking_blocks', member, [...place, 'thinking'], [...at, ...place, 'thinking'], read);
    if (isText) this.#isThinking = true;
    if (isText && (typeof signature !== 'string' || signature === '')) return;
    if (this.#isThinking) {
      this.#close(channel, read);
      this.#isThinking = false;
      this.#blocks += 1;
    }
    if (!isText) this.#blocks += 1;
    else if (isOpaque(String(signature)))
      read.signatures.push({ place: [...at, ...place, 'signature'], texts: { thinking: channel } });
    read.isAnswer = true;
  }

  /** Pieces of a detail while its type and its index stay the same. */
  #reasoning(detail: JsonValue, member: JsonValue, n: number, at: FramePlace, read: ReadingChunk): void {
    if (!isObject(detail)) return;
    const field = growingField(detail);
    if (!continuesDetail(this.#detail, detail)) {
      this.#close(`${this.#path}.reasoning_details.${this.#details}.${growingField(this.#detail)}`, read);
      this.#details += 1;
    }
    this.#detail = detail;
    read.isAnswer = true;
    const channel = `${this.#path}.reasoning_details.${this.#details}.${field}`;
    const text = field === null ? '' : detail[field];
    if (field !== null && typeof text === 'string' && text !== '')
      this.#piece(channel, 'reasoning_details', member, [n, field], [...at, n, field], read);
    if (typeof detail.signature !== 'string' || !isOpaque(detail.signature)) return;
    // A signature comes behind its text, as in a block of thinking.
    this.#close(channel, read);
    read.signatures.push({ place: [...at, n, 'signature'], texts: field === null ? {} : { [field]: channel } });
  }

  #piece(channel: string, field: string, member: JsonValue, place: FramePlace, at: FramePlace, read: ReadingChunk): void {
    this.#channels.take(channel, this.#index, field, member, place);
    this.#open.add(channel);
    read.pieces.push({ channel, place: at });
  }

  #close(channel: string, read: ReadingChunk): void {
    if (this.#open.delete(channel)) read.ends.push(channel);
  }

  #nameOf(field: string): string {
    const known = this.#names.get(field);
    if (known !== undefined) return known;
    const name = `${this.#path}.${field}`;
    this.#names.set(field, name);
    return name;
  }
}
