import {
  type AnswerFacts,
  type AnswerFrame,
  type FramePlace,
  type FrameReader,
  type FrameReading,
  isObject,
  type JsonObject,
  type JsonValue,
} from '@svc/contracts';
import { isCount } from '../common/count.ts';
import { finishReason } from '../common/finish-reason.ts';
import { isOpaque } from '../common/opaque.ts';
import { malformed, reportedError } from '../upstream-error/index.ts';
import { readUsage } from '../usage/read-usage.ts';
import { Channels } from './channels.ts';
import { type DeltaString, stringsIn, stringsOfBlock } from './delta-strings.ts';
import { framesOf, partOf } from './frame-part.ts';
import { stopReason } from './stop-reason.ts';
import { StreamedUsage } from './usage.ts';

const NOTHING: FrameReading = { pieces: [], ends: [], repeats: [], part: null, signatures: [], isLast: false };

interface OpenBlock {
  /** Whether guards check the block as a whole, such as a tool call. */
  readonly isPart: boolean;
  readonly channels: Set<string>;
  /** Texts in the start of the block that are not streamed. Deltas must not extend them, because guards would see the pieces separately. */
  readonly begun: ReadonlySet<string>;
}

/** The number of blocks is limited, because each block's text passes the guards separately. */
const MAX_BLOCKS = 10_000;

export class MessagesReader implements FrameReader {
  isComplete = false;
  #isBegun = false;
  #finish_reason: string | null = null;
  #hasCalls = false;
  readonly #usage = new StreamedUsage();
  readonly #open = new Map<number, OpenBlock>();
  readonly #begun = new Set<number>();
  readonly #channels = new Channels();

  get facts(): AnswerFacts {
    return { finish_reason: this.#finish_reason, usage: readUsage(this.#usage.whole) };
  }

  /** Unknown events and `ping` have nothing but their texts. */
  read(frame: AnswerFrame): FrameReading {
    switch (frame.type) {
      case 'error':
        throw reportedError(frame.error as JsonValue | undefined);
      case 'message_start':
        return this.#begin(frame.message);
      case 'content_block_start':
        return this.#start(this.#indexOf(frame), frame.content_block);
      case 'content_block_delta':
        return this.#grow(this.#indexOf(frame), frame.delta);
      case 'content_block_stop':
        return this.#stop(this.#indexOf(frame));
      case 'message_delta':
        if (isObject(frame.delta)) this.#end(frame.delta);
        this.#usage.take(frame.usage);
        return this.#last();
      case 'message_stop':
        if (!this.#isBegun) throw malformed('an end without a message');
        this.isComplete = true;
        return this.#last();
      default:
        return NOTHING;
    }
  }

  pieceOf(channel: string, text: string): AnswerFrame {
    return this.#channels.pieceOf(channel, text);
  }

  pathOf(channel: string): string {
    return this.#channels.pathOf(channel);
  }

  partOf = partOf;
  framesOf = framesOf;

  #begin(message: unknown): FrameReading {
    if (!isObject(message) || this.#isBegun) throw malformed('a stream that does not start with message_start');
    this.#isBegun = true;
    this.#usage.take(message.usage);
    return NOTHING;
  }

  #start(index: number, block: unknown): FrameReading {
    if (!isObject(block) || typeof block.type !== 'string') throw malformed('a content block that is not an object');
    // Clients would append pieces to the existing block.
    if (this.#begun.has(index)) throw malformed('a content block that was started twice');
    if (this.#begun.size >= MAX_BLOCKS) throw malformed('too many content blocks');
    this.#begun.add(index);
    this.#hasCalls ||= block.type === 'tool_use';
    const name = FLOWING.get(block.type);
    const begun = stringsOfBlock(block).filter((text) => text.name !== name);
    // In an unknown block, deltas may extend any text.
    const isPart = isObject(block.input) || block.type.endsWith('tool_use') || (name === undefined && begun.length > 0);
    this.#open.set(index, { isPart, channels: new Set(), begun: new Set(begun.map((text) => text.name)) });
    if (isPart) return { ...NOTHING, part: { name: partName(index), isComplete: false } };
    if (name === undefined) return NOTHING;
    const text = block[name] ?? '';
    if (typeof text !== 'string') throw malformed('a content block without text');
    const delta = { type: `${name}_delta`, [name]: text };
    const strings = text === '' ? [] : [{ name, place: ['content_block', name] }];
    const signature = signatureIn(block, index, ['content_block', 'signature']);
    return { ...this.#pieces(index, delta, strings), ...signature, isBeginning: true };
  }

  #grow(index: number, delta: unknown): FrameReading {
    const { isPart, begun } = this.#blockAt(index);
    if (!isObject(delta)) throw malformed('a delta that is not an object');
    const field = TEXT_OF.get(delta.type);
    if (field !== undefined && typeof delta[field] !== 'string') throw malformed('an event without text');
    if (isPart) return { ...NOTHING, part: { name: partName(index), isComplete: false } };
    const strings = stringsIn(delta);
    if (strings.some(({ name }) => begun.has(name))) throw malformed('more text after the end of a text');
    return { ...this.#pieces(index, delta, strings), ...signatureIn(delta, index, ['delta', 'signature']) };
  }

  #stop(index: number): FrameReading {
    const { isPart, channels } = this.#blockAt(index);
    this.#open.delete(index);
    return { ...NOTHING, ends: [...channels], part: isPart ? { name: partName(index), isComplete: true } : null };
  }

  /** Some servers send the stop reason and the token counts in separate frames. */
  #end(delta: JsonObject): void {
    if (this.#finish_reason !== null && delta.stop_reason == null) return;
    delta.stop_reason = stopReason(delta.stop_reason, this.#hasCalls);
    this.#finish_reason = finishReason(delta.stop_reason, this.#hasCalls);
  }

  /** Some servers do not end their blocks. */
  #last(): FrameReading {
    const open = [...this.#open.values()];
    if (open.some(({ isPart }) => isPart)) throw malformed('a content block that never ended');
    this.#open.clear();
    return { ...NOTHING, ends: open.flatMap(({ channels }) => [...channels]), isLast: true };
  }

  #pieces(index: number, delta: JsonObject, strings: readonly DeltaString[]): FrameReading {
    const pieces = this.#channels.take(index, delta, strings);
    const { channels } = this.#blockAt(index);
    for (const { channel } of pieces) channels.add(channel);
    return { ...NOTHING, pieces };
  }

  #indexOf({ index }: AnswerFrame): number {
    if (!this.#isBegun || !isCount(index)) throw malformed('a content block outside of a message');
    return index;
  }

  #blockAt(index: number): OpenBlock {
    const block = this.#open.get(index);
    if (block === undefined) throw malformed('a content block that was never started');
    return block;
  }
}

/** Blocks whose text is streamed, with the name of the text's field. */
const FLOWING: ReadonlyMap<string, string> = new Map([
  ['text', 'text'],
  ['thinking', 'thinking'],
]);

/** The field that each type of delta must have. */
const TEXT_OF: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
  ['input_json_delta', 'partial_json'],
  ['signature_delta', 'signature'],
]);

/** The signature follows the thinking. A value that does not look like a signature is text. */
function signatureIn({ signature }: JsonObject, index: number, place: FramePlace): Partial<FrameReading> {
  if (typeof signature !== 'string' || !isOpaque(signature)) return {};
  return { signatures: [{ place, texts: { thinking: `${partName(index)}.thinking` } }] };
}

function partName(index: number): string {
  return `content.${index}`;
}
