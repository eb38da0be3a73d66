import { type ChatChunkChoice, isObject, JSON_VALUE_BYTES, type JsonValue } from '@svc/contracts';
import { nameIn } from '../../common/json-shapes.ts';
import type { Lost } from '../../common/lost.ts';
import { TextPieces } from '../../common/text-pieces.ts';
import { malformed } from '../../upstream-error/index.ts';
import { noteLost } from './answer-to-chat.ts';
import { blockOf } from './thinking-from-chat.ts';

type Delta = ChatChunkChoice['delta'];

interface OpenToolUse {
  readonly kind: 'tool_use';
  /** Zero-based index of the tool call. */
  readonly call: number;
  readonly input: JsonValue;
  written: boolean;
}

/** `thinking` is the text sent so far, so that the final block matches its pieces. */
interface OpenThinking {
  readonly kind: 'thinking';
  thinking: string;
  signature: string;
}

type OpenBlock = { readonly kind: 'text' } | OpenThinking | OpenToolUse | { readonly kind: 'other' };

/** Converts the content blocks of a streamed message to deltas of the chat format. Methods throw `malformed` for invalid frames. */
export class BlocksToChat {
  #calls = 0;
  readonly #lost: Lost;
  readonly #open = new Map<number, OpenBlock>();
  readonly #pieces = new TextPieces();
  /** Bytes of thinking that are buffered. */
  held = 0;

  constructor(lost: Lost) {
    this.#lost = lost;
  }

  get hasCalls(): boolean {
    return this.#calls > 0;
  }

  start(index: number, block: unknown): Delta[] {
    if (!isObject(block)) throw malformed('a content block that is not an object');
    noteLost(block, this.#lost);
    switch (block.type) {
      case 'text':
        this.#open.set(index, { kind: 'text' });
        return this.#say(index, stringIn(block.text ?? ''));
      case 'thinking': {
        const open: OpenThinking = { kind: 'thinking', thinking: '', signature: stringIn(block.signature ?? '') };
        this.#open.set(index, open);
        return this.#think(index, open, stringIn(block.thinking ?? ''));
      }
      case 'redacted_thinking': {
        this.#open.set(index, { kind: 'other' });
        const redacted = blockOf(block);
        return redacted === null ? [] : [{ thinking_blocks: [redacted] }];
      }
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

  /** Takes a `content_block_delta`. Returns nothing for blocks that the chat format cannot express. */
  grow(index: number, delta: unknown): Delta[] {
    const block = this.#blockAt(index);
    if (!isObject(delta)) throw malformed('a delta that is not an object');
    switch (delta.type) {
      case 'text_delta':
        return block.kind === 'text' ? this.#say(index, stringIn(delta.text)) : [];
      case 'thinking_delta':
        return block.kind === 'thinking' ? this.#think(index, block, stringIn(delta.thinking)) : [];
      case 'signature_delta':
        if (block.kind === 'thinking') block.signature += stringIn(delta.signature);
        return [];
      case 'input_json_delta':
        return block.kind === 'tool_use' ? this.#write(index, block, stringIn(delta.partial_json)) : [];
      case 'citations_delta':
        this.#lost.note('content', 'citations');
        return [];
      default:
        if (block.kind !== 'other') this.#lost.note('content', nameIn(delta.type));
        return [];
    }
  }

  stop(index: number): Delta[] {
    const block = this.#blockAt(index);
    this.#open.delete(index);
    const left = this.#pieces.end(String(index));
    switch (block.kind) {
      case 'text':
        return left === '' ? [] : [{ content: left }];
      case 'thinking': {
        const signed = blockOf({ type: 'thinking', thinking: block.thinking + left, signature: block.signature });
        return [
          ...(left === '' ? [] : [{ reasoning_content: left }]),
          ...(signed === null ? [] : [{ thinking_blocks: [signed] }]),
        ];
      }
      case 'tool_use':
        // A call without arguments has no delta, but OpenAI's clients always parse a call's arguments.
        return block.written ? [] : [argumentsDelta(block.call, JSON.stringify(block.input))];
      case 'other':
        return [];
    }
  }

  #blockAt(index: number): OpenBlock {
    const block = this.#open.get(index);
    if (block === undefined) throw malformed('a content block that was never started');
    return block;
  }

  #say(index: number, piece: string): Delta[] {
    const text = this.#pieces.push(String(index), piece);
    return text === '' ? [] : [{ content: text }];
  }

  /** Sends thinking as `reasoning_content`, as servers of open models do. The complete block is sent afterwards, for the next turn. */
  #think(index: number, block: OpenThinking, piece: string): Delta[] {
    const text = this.#pieces.push(String(index), piece);
    block.thinking += text;
    this.held += text.length + JSON_VALUE_BYTES;
    return text === '' ? [] : [{ reasoning_content: text }];
  }

  #write(index: number, block: OpenToolUse, piece: string): Delta[] {
    const text = this.#pieces.push(String(index), piece);
    if (text === '') return [];
    block.written = true;
    return [argumentsDelta(block.call, text)];
  }
}

function argumentsDelta(index: number, written: string): Delta {
  return { tool_calls: [{ index, function: { arguments: written } }] };
}

function stringIn(value: JsonValue | undefined): string {
  if (typeof value !== 'string') throw malformed('an event without text');
  return value;
}
