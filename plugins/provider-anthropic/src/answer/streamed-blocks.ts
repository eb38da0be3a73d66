import type { ChatChunkChoice, JsonValue } from '@svc/sdk';
import { isObject, malformed, TextPieces } from '@svc/toolkit/upstream';

type Delta = ChatChunkChoice['delta'];

interface OpenToolUse {
  readonly kind: 'tool_use';
  /** Index of the tool call, from 0. */
  readonly call: number;
  readonly input: JsonValue;
  written: boolean;
}

/** A content block that is being streamed. */
type OpenBlock = { readonly kind: 'text' | 'thinking' } | OpenToolUse | { readonly kind: 'other' };

/** OpenAI's field for each kind of block. `reasoning_content` is what servers of open models use. */
const FIELDS = { text: 'content', thinking: 'reasoning_content' } as const;

function stringIn(value: unknown): string {
  if (typeof value !== 'string') throw malformed('an event without its text');
  return value;
}

function argumentsDelta(index: number, written: string): Delta {
  return { tool_calls: [{ index, function: { arguments: written } }] };
}

/** Converts the content blocks of one streamed message to OpenAI's deltas. Each method throws `malformed` for what it cannot read. */
export class StreamedBlocks {
  #calls = 0;
  readonly #open = new Map<number, OpenBlock>();
  readonly #pieces = new TextPieces();

  /** `content_block_start` */
  start(index: number, block: unknown): Delta[] {
    if (!isObject(block)) throw malformed('a block that is none');
    switch (block.type) {
      case 'text':
      case 'thinking':
        this.#open.set(index, { kind: block.type });
        return this.#say(index, block.type, stringIn(block[block.type] ?? ''));
      case 'tool_use': {
        const call = this.#calls++;
        this.#open.set(index, { kind: 'tool_use', call, input: block.input ?? {}, written: false });
        const [id, name] = [stringIn(block.id).toWellFormed(), stringIn(block.name).toWellFormed()];
        return [{ tool_calls: [{ index: call, id, type: 'function', function: { name, arguments: '' } }] }];
      }
      default:
        this.#open.set(index, { kind: 'other' });
        return [];
    }
  }

  /** `content_block_delta`. Unknown deltas, such as a thought's signature, add nothing. */
  grow(index: number, delta: unknown): Delta[] {
    const block = this.#blockAt(index);
    if (!isObject(delta)) throw malformed('a delta that is none');
    switch (delta.type) {
      case 'text_delta':
        return block.kind === 'text' ? this.#say(index, 'text', stringIn(delta.text)) : [];
      case 'thinking_delta':
        return block.kind === 'thinking' ? this.#say(index, 'thinking', stringIn(delta.thinking)) : [];
      case 'input_json_delta':
        return block.kind === 'tool_use' ? this.#write(index, block, stringIn(delta.partial_json)) : [];
      default:
        return [];
    }
  }

  /** `content_block_stop` */
  stop(index: number): Delta[] {
    const block = this.#blockAt(index);
    this.#open.delete(index);
    const left = this.#pieces.end(String(index));
    switch (block.kind) {
      case 'text':
      case 'thinking':
        return left === '' ? [] : [{ [FIELDS[block.kind]]: left }];
      case 'tool_use':
        // A tool without arguments gets no delta, but OpenAI's clients parse the arguments all the same.
        return block.written ? [] : [argumentsDelta(block.call, JSON.stringify(block.input))];
      case 'other':
        return [];
    }
  }

  #blockAt(index: number): OpenBlock {
    const block = this.#open.get(index);
    if (block === undefined) throw malformed('a block that was not begun');
    return block;
  }

  #say(index: number, kind: 'text' | 'thinking', piece: string): Delta[] {
    const text = this.#pieces.push(String(index), piece);
    return text === '' ? [] : [{ [FIELDS[kind]]: text }];
  }

  #write(index: number, block: OpenToolUse, piece: string): Delta[] {
    const text = this.#pieces.push(String(index), piece);
    if (text === '') return [];
    block.written = true;
    return [argumentsDelta(block.call, text)];
  }
}
