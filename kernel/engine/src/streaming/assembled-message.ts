import {
  type ChatChunkChoice,
  type ChatMessage,
  isObject,
  JsonCounter,
  type JsonValue,
  ProviderError,
  type ToolCall,
  type ToolCallDelta,
} from '@svc/contracts';
import { define } from '../segments/index.ts';
import { joinDetail } from './assembled-details.ts';
import { AssembledThinking } from './assembled-thinking.ts';
import { TEXT_FIELDS } from './chunk.ts';
import { GrowingText } from './growing-text.ts';

type Delta = ChatChunkChoice['delta'];

/** Fields whose members come one by one, each whole. */
const LISTS = ['annotations', 'vendor_calls'] as const;

/** One choice's message, joined from the pieces of a stream: texts are concatenated, tool calls are joined by index. */
export class AssembledMessage {
  readonly #texts = new Map<string, GrowingText>();
  readonly #calls = new Map<number, JoinedCall>();
  readonly #counter: JsonCounter;
  #function_call: Joined | null = null;
  #audio: Joined | null = null;
  readonly #lists = new Map<string, JsonValue[]>();
  readonly #thinking = new AssembledThinking();
  readonly #thinking_blocks: unknown[] = [];
  readonly #reasoning_details: unknown[] = [];

  /** @param counter counts what is kept, for all choices of an answer */
  constructor(counter = new JsonCounter()) {
    this.#counter = counter;
  }

  /** @throws {ProviderError} `malformed` if the kept parts are more JSON than an answer may hold */
  take(delta: Delta): void {
    for (const field of TEXT_FIELDS) {
      const text = delta[field];
      if (typeof text !== 'string') continue;
      const whole = this.#texts.get(field) ?? new GrowingText();
      this.#texts.set(field, whole);
      whole.push(text);
    }
    for (const call of delta.tool_calls ?? []) this.#takeCall(call);
    this.#function_call = this.#joined(this.#function_call, delta.function_call, ['arguments']);
    this.#audio = this.#joined(this.#audio, delta.audio, ['data', 'transcript']);
    for (const field of LISTS) {
      for (const member of listed(delta[field])) {
        this.#count(member);
        const list = this.#lists.get(field) ?? [];
        this.#lists.set(field, list);
        list.push(member as JsonValue);
      }
    }
    for (const piece of listed(delta.thinking_blocks)) {
      this.#count(piece);
      this.#thinking_blocks.push(...this.#thinking.take(piece));
    }
    for (const piece of listed(delta.reasoning_details)) {
      this.#count(piece);
      joinDetail(this.#reasoning_details, piece);
    }
  }

  /** The message so far; `content` is null if there was none, as in a whole answer. */
  message(): ChatMessage {
    this.#thinking_blocks.push(...this.#thinking.end());
    const calls = [...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => call);
    return {
      role: 'assistant',
      content: null,
      ...Object.fromEntries([...this.#texts].map(([field, text]) => [field, text.toString()])),
      ...(this.#thinking_blocks.length === 0 ? {} : { thinking_blocks: this.#thinking_blocks }),
      ...(this.#reasoning_details.length === 0 ? {} : { reasoning_details: this.#reasoning_details }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(this.#function_call === null ? {} : { function_call: this.#function_call }),
      ...(this.#audio === null ? {} : { audio: this.#audio }),
      ...Object.fromEntries(this.#lists),
    };
  }

  #takeCall({ index, id, type, function: called, custom, extra_content }: CallPiece): void {
    const call = this.#calls.get(index);
    const whole: JoinedCall = call ?? { id: id ?? '', type: type ?? (isObject(custom) ? 'custom' : 'function') };
    if (call === undefined) {
      this.#count(whole);
      this.#calls.set(index, whole);
    }
    const joined = this.#joined(whole.function ?? null, called, ['arguments']);
    if (joined !== null) whole.function ??= { name: '', arguments: '', ...joined };
    const input = this.#joined(whole.custom ?? null, custom, ['input']);
    if (input !== null) whole.custom = input;
    if (extra_content == null || whole.extra_content !== undefined) return;
    this.#count(extra_content);
    whole.extra_content = extra_content;
  }

  /** Adds a piece: strings in `growing` fields are concatenated, any other value stays as it was first given. */
  #joined(before: Joined | null, piece: unknown, growing: readonly string[]): Joined | null {
    if (!isObject(piece)) return before;
    const whole = before ?? {};
    for (const [key, value] of Object.entries(piece)) {
      const old = Object.hasOwn(whole, key) ? whole[key] : null;
      if (growing.includes(key) && typeof old === 'string' && typeof value === 'string') whole[key] = old + value;
      else if (old == null) {
        this.#count(value);
        define(whole, key, value);
      }
    }
    return whole;
  }

  #count(kept: unknown): void {
    if (this.#counter.value(kept) !== null) throw new ProviderError('malformed');
  }
}

type Joined = Record<string, unknown>;

/** Tool calls while their texts grow; calls of custom tools too, which have no type of their own. */
type JoinedCall = ToolCall & { custom?: Joined };
type CallPiece = ToolCallDelta & { readonly custom?: unknown; readonly extra_content?: unknown };

/** Upstreams write null where they have nothing. */
function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
