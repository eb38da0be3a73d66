import type { ChatChunkChoice, ChatMessage, JsonValue, ToolCall, ToolCallDelta } from '../contracts/index.ts';
import { TEXT_FIELDS } from './chunk.ts';
import { GrowingText } from './growing-text.ts';

type Delta = ChatChunkChoice['delta'];

/** One choice's message, joined from the pieces of a stream: texts end to end, tool calls by their index. */
export class AssembledMessage {
  readonly #texts = new Map<string, GrowingText>();
  readonly #calls = new Map<number, ToolCall>();
  #function_call: Joined | null = null;
  #audio: Joined | null = null;
  #annotations: JsonValue[] = [];

  take(delta: Delta): void {
    for (const field of TEXT_FIELDS) {
      const text = delta[field];
      if (typeof text !== 'string') continue;
      const whole = this.#texts.get(field) ?? new GrowingText();
      this.#texts.set(field, whole);
      whole.push(text);
    }
    for (const call of delta.tool_calls ?? []) this.#calls.set(call.index, joinedCall(this.#calls.get(call.index), call));
    this.#function_call = joined(this.#function_call, delta.function_call, ['arguments']);
    this.#audio = joined(this.#audio, delta.audio, ['data', 'transcript']);
    if (Array.isArray(delta.annotations)) for (const annotation of delta.annotations) this.#annotations.push(annotation);
  }

  /** The message as far as it has come; `content` is null where there was none, as in a whole answer. */
  message(): ChatMessage {
    const calls = [...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => call);
    return {
      role: 'assistant',
      content: null,
      ...Object.fromEntries([...this.#texts].map(([field, text]) => [field, text.toString()])),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(this.#function_call === null ? {} : { function_call: this.#function_call }),
      ...(this.#audio === null ? {} : { audio: this.#audio }),
      ...(this.#annotations.length === 0 ? {} : { annotations: this.#annotations }),
    };
  }
}

type Joined = Record<string, unknown>;

/** A piece added to what there is: `growing` strings grow, anything else is kept as it was first given. */
function joined(before: Joined | null, piece: unknown, growing: readonly string[]): Joined | null {
  if (typeof piece !== 'object' || piece === null) return before;
  const whole: Joined = { ...before };
  for (const [key, value] of Object.entries(piece)) {
    const old = Object.hasOwn(whole, key) ? whole[key] : null;
    if (growing.includes(key) && typeof old === 'string' && typeof value === 'string') whole[key] = old + value;
    else if (old == null) define(whole, key, value);
  }
  return whole;
}

/** `__proto__` as a key of a model's is a key like any other. */
function define(object: Joined, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

function joinedCall(before: ToolCall | undefined, { index: _, ...piece }: ToolCallDelta & { custom?: unknown }): ToolCall {
  const called = joined(before?.function ?? null, piece.function, ['arguments']);
  const custom = joined((before?.custom as Joined | undefined) ?? null, piece.custom, ['input']);
  return {
    id: before?.id ?? piece.id ?? '',
    type: before?.type ?? piece.type ?? (custom === null ? 'function' : 'custom'),
    ...(called === null ? {} : { function: { name: '', arguments: '', ...called } as ToolCall['function'] & object }),
    ...(custom === null ? {} : { custom }),
  };
}
