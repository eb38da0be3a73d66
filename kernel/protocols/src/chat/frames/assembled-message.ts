import { type ChatMessage, JsonCounter } from '@svc/contracts';
import { GrowingText } from '../../common/growing-text.ts';
import { joinDetail } from './assembled-details.ts';
import { AssembledThinking } from './assembled-thinking.ts';
import { count, joined } from './joined.ts';
import { JoinedParts } from './joined-parts.ts';

/** The message of one choice, assembled from the pieces of a stream. Texts are concatenated; tool calls are joined by their index. */
export class AssembledMessage {
  readonly #counter: JsonCounter;
  readonly #calls: JoinedParts;
  readonly #texts = new Map<string, GrowingText>();
  readonly #thinking = new AssembledThinking();
  readonly #lists = new Map<string, unknown[]>();
  readonly #others = new Map<string, unknown>();
  #role = 'assistant';
  #audio: Record<string, unknown> | null = null;

  /** @param counter limits the JSON kept for all choices of an answer */
  constructor(counter = new JsonCounter()) {
    this.#counter = counter;
    this.#calls = new JoinedParts(counter);
  }

  /** @throws {ProviderError} `malformed` if the answer has more JSON than allowed */
  take({ role, tool_calls, function_call, audio, ...fields }: Readonly<Record<string, unknown>>): void {
    if (typeof role === 'string' && role !== '') this.#role = role;
    this.#calls.take({ tool_calls, function_call });
    this.#audio = joined(this.#audio, audio, this.#counter, 'append');
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') this.#textOf(name).push(value);
      else if (value !== null && value !== undefined) this.#takeMember(name, value);
    }
  }

  /** The message so far. As in a whole answer, `content` is null if there was none. */
  message(): ChatMessage {
    for (const block of this.#thinking.end()) this.#listOf('thinking_blocks').push(block);
    return {
      role: this.#role,
      content: null,
      ...Object.fromEntries([...this.#texts].map(([name, text]) => [name, text.toString()])),
      ...Object.fromEntries([...this.#lists].filter(([, list]) => list.length > 0)),
      ...this.#calls.fields(),
      ...(this.#audio === null ? {} : { audio: this.#audio }),
      ...Object.fromEntries(this.#others),
    };
  }

  #takeMember(name: string, value: unknown): void {
    count(value, this.#counter);
    if (name === 'thinking_blocks') this.#listOf(name).push(...this.#thinking.take(value));
    else if (!Array.isArray(value)) this.#others.set(name, value);
    else if (name === 'reasoning_details') for (const piece of value) joinDetail(this.#listOf(name), piece);
    else this.#listOf(name).push(...value);
  }

  #textOf(name: string): GrowingText {
    const text = this.#texts.get(name) ?? new GrowingText();
    this.#texts.set(name, text);
    return text;
  }

  #listOf(name: string): unknown[] {
    const list = this.#lists.get(name) ?? [];
    this.#lists.set(name, list);
    return list;
  }
}
