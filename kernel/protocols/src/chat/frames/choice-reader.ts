import { type FramePlace, type FrameReading, isObject, type JsonObject, type JsonValue } from '@svc/contracts';
import { channelStep } from '../../common/channel-step.ts';
import { nameIn, present, says } from '../../common/json-shapes.ts';
import { isOpaque } from '../../common/opaque.ts';
import { ROLES } from '../vocabulary.ts';
import { continuesDetail, growingField, WHOLE_FIELDS } from './assembled-details.ts';
import { isThinkingText } from './assembled-thinking.ts';
import type { Channels } from './channels.ts';
import { isPart } from './joined-parts.ts';
import { isNumbered } from './numbered.ts';

/** The content of a chunk, collected while the chunk's choices are read. */
export interface ReadingChunk {
  readonly pieces: FrameReading['pieces'][number][];
  readonly signatures: FrameReading['signatures'][number][];
  readonly ends: string[];
  /** Places of parts: tool calls and unknown members. */
  readonly parts: FramePlace[];
  isBeginning: boolean;
  isAnswer: boolean;
}

/** Strings of audio, and of thinking blocks, that arrive whole. */
const WHOLE_OF_AUDIO: ReadonlySet<string> = new Set(['id', 'data']);
const WHOLE_OF_BLOCK: ReadonlySet<string> = new Set(['signature', 'data']);
const NONE: ReadonlySet<string> = new Set();

/** A value whose strings may arrive in pieces. */
interface Growing {
  /** Prefix of the names of the value's channels. */
  readonly name: string;
  /** The member of the delta that contains the value, and where the value is in it. */
  readonly member: JsonValue;
  readonly place: FramePlace;
  readonly value: JsonValue;
}

/** The state of one choice while its chunks are read. */
export class ChoiceReader {
  readonly #index: number;
  readonly #path: string;
  readonly #channels: Channels;
  /** Channel names by field. */
  readonly #names = new Map<string, string>();
  /** Index of the next thinking block, and of the latest reasoning detail. */
  #blocks = 0;
  #details = -1;
  #isThinking = false;
  /** Open channels of the current block, and of the current detail. */
  readonly #ofBlock = new Set<string>();
  readonly #ofDetail = new Set<string>();
  /** The latest detail. The initial value matches no piece. */
  #detail: JsonObject = { type: null };
  finish_reason: string | null = null;
  hasCalls = false;

  constructor(index: number, channels: Channels) {
    this.#index = index;
    this.#path = `choices.${index}.message`;
    this.#channels = channels;
  }

  /** @param at where the delta is in its chunk */
  take(delta: JsonObject, at: FramePlace, read: ReadingChunk): void {
    this.hasCalls ||= says(delta.tool_calls);
    for (const field in delta) {
      const member = delta[field];
      if (member === null || member === undefined || member === '') continue;
      if (field === 'role' && ROLES.has(nameIn(member))) read.isBeginning = true;
      else if (typeof member === 'string') this.#piece(this.#nameOf(channelStep(field)), field, member, [], [...at, field], read);
      else this.#takeMember(field, member, [...at, field], read);
    }
  }

  #takeMember(field: string, member: JsonValue, at: FramePlace, read: ReadingChunk): void {
    if (isPart(field, member)) read.parts.push(at);
    else if (field === 'thinking_blocks') this.#blocksOf(member, at, read);
    else if (field === 'reasoning_details') this.#detailsOf(member, at, read);
    else read.isAnswer ||= says(member);
    if (field === 'audio') this.#texts(field, wholly(field, member), WHOLE_OF_AUDIO, at, read);
  }

  #blocksOf(member: JsonValue, at: FramePlace, read: ReadingChunk): void {
    if (!Array.isArray(member)) this.#thinking(member, at, read);
    else for (const [n, block] of member.entries()) this.#thinking(block, [...at, n], read);
  }

  #detailsOf(member: JsonValue, at: FramePlace, read: ReadingChunk): void {
    if (Array.isArray(member)) for (const [n, detail] of member.entries()) this.#reasoning(detail, [...at, n], read);
    else this.#texts('reasoning_details', wholly('reasoning_details', member), NONE, at, read);
  }

  /**
   * Reads a whole thinking block, or a piece of one that a later signature completes.
   * @param at where the block is in its chunk
   */
  #thinking(block: JsonValue, at: FramePlace, read: ReadingChunk): void {
    const name = `thinking_blocks.${this.#blocks}`;
    const isText = isThinkingText(block);
    if (isText) {
      const member = [without(block, WHOLE_OF_BLOCK)];
      this.#texts('thinking_blocks', { name, member, place: [0], value: block }, WHOLE_OF_BLOCK, at, read, this.#ofBlock);
      this.#isThinking = true;
    }
    if (isText && (typeof block.signature !== 'string' || block.signature === '')) return;
    if (this.#isThinking) {
      close(this.#ofBlock, read);
      this.#isThinking = false;
      this.#blocks += 1;
    }
    if (!isText) this.#blocks += 1;
    else if (isOpaque(nameIn(block.signature)))
      read.signatures.push({ place: [...at, 'signature'], texts: { thinking: `${this.#path}.${name}.thinking` } });
    read.isAnswer = true;
  }

  /**
   * Reads a reasoning detail. Pieces with the same type and index belong together.
   * @param at where the detail is in its chunk
   */
  #reasoning(detail: JsonValue, at: FramePlace, read: ReadingChunk): void {
    if (!isObject(detail)) return;
    const field = growingField(detail);
    if (!continuesDetail(this.#detail, detail)) {
      close(this.#ofDetail, read);
      this.#details += 1;
    }
    // A copy, because guards may edit the detail itself.
    this.#detail = present({ type: detail.type, index: detail.index });
    read.isAnswer = true;
    const name = `reasoning_details.${this.#details}`;
    if (field !== null) {
      const text = { name, member: [without(detail, WHOLE_FIELDS)], place: [0], value: detail };
      this.#texts('reasoning_details', text, WHOLE_FIELDS, at, read, this.#ofDetail);
    }
    if (typeof detail.signature === 'string' && isOpaque(detail.signature)) {
      const texts = field === null ? {} : { [field]: `${this.#path}.${name}.${field}` };
      read.signatures.push({ place: [...at, 'signature'], texts });
    }
  }

  /**
   * Opens a channel for every string of a value.
   * @param but names of members to skip
   * @param at where the value is in its chunk
   * @param open receives the channels
   */
  #texts(
    field: string,
    { name, member, place, value }: Growing,
    but: ReadonlySet<string>,
    at: FramePlace,
    read: ReadingChunk,
    open?: Set<string>,
  ): void {
    for (const { path, steps } of stringsIn(value, but)) {
      const channel = this.#nameOf([name, ...steps].join('.'));
      this.#piece(channel, field, member, [...place, ...path], [...at, ...path], read);
      open?.add(channel);
    }
  }

  #piece(channel: string, field: string, member: JsonValue, place: FramePlace, at: FramePlace, read: ReadingChunk): void {
    this.#channels.take(channel, this.#index, field, member, place);
    read.pieces.push({ channel, place: at });
  }

  #nameOf(field: string): string {
    const known = this.#names.get(field);
    if (known !== undefined) return known;
    const name = `${this.#path}.${field}`;
    this.#names.set(field, name);
    return name;
  }
}

function wholly(field: string, member: JsonValue): Growing {
  return { name: channelStep(field), member, place: [], value: member };
}

function without(value: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

function close(channels: Set<string>, read: ReadingChunk): void {
  read.ends.push(...channels);
  channels.clear();
}

/** A string's path, and the steps of its channel's name. */
interface Found {
  readonly path: FramePlace;
  readonly steps: readonly string[];
}

/** @param but names of members to skip. Types are always skipped: they identify a value and always arrive whole. */
function* stringsIn(value: JsonValue, but: ReadonlySet<string>): Generator<Found> {
  if (typeof value === 'string' && value !== '') yield { path: [], steps: [] };
  else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) yield* within(item, at, isNumbered(item) ? `#${item.index}` : channelStep(at));
  } else if (isObject(value)) {
    for (const [key, member] of Object.entries(value))
      if (!but.has(key) && !(key === 'type' && typeof member === 'string')) yield* within(member, key, channelStep(key));
  }
}

function* within(value: JsonValue, at: string | number, step: string): Generator<Found> {
  for (const { path, steps } of stringsIn(value, NONE)) yield { path: [at, ...path], steps: [step, ...steps] };
}
