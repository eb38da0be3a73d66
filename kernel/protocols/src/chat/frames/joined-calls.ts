import { isObject, JsonCounter, type ToolCall } from '@svc/contracts';
import { objectsIn } from '../../common/json-shapes.ts';
import { type Joined, joined } from './joined.ts';

/** What is found in a text that is said so often is found in one that is said more often. */
const MAX_REPEATED = 8;

/** The calls of one choice, joined by their indexes, and the old `function_call`. */
export class JoinedCalls {
  readonly #calls = new Map<number, Joined>();
  readonly #counter: JsonCounter;
  #function_call: Joined | null = null;
  /** What was said again, and how often. */
  readonly #again = new Map<string, number>();

  /** @param counter counts what is kept, for all choices of an answer */
  constructor(counter = new JsonCounter()) {
    this.#counter = counter;
  }

  /** @throws {ProviderError} `malformed`, see {@link joined} */
  take({ tool_calls, function_call }: { readonly tool_calls?: unknown; readonly function_call?: unknown }): void {
    for (const { index, ...piece } of objectsIn(tool_calls)) {
      const at = Number(index);
      const call = joined(this.#calls.get(at) ?? null, piece, this.#counter, this.#count);
      if (call !== null) this.#calls.set(at, call);
    }
    this.#function_call = joined(this.#function_call, function_call, this.#counter, this.#count);
  }

  /** As fields of a message. */
  fields(): { tool_calls?: ToolCall[]; function_call?: Joined } {
    const calls = [...this.#calls].sort(([a], [b]) => a - b).map(([, call]) => whole(call));
    return {
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(this.#function_call === null ? {} : { function_call: this.#function_call }),
    };
  }

  /** What was said again as clients have it that put each piece behind the one before. */
  get repeated(): string[] {
    return [...this.#again].map(([text, times]) => text.repeat(Math.min(times + 1, MAX_REPEATED)));
  }

  readonly #count = (text: string): void => void this.#again.set(text, (this.#again.get(text) ?? 0) + 1);

  /** The indexes of the calls, in the order of {@link fields}. */
  get indexes(): readonly number[] {
    return [...this.#calls.keys()].sort((a, b) => a - b);
  }
}

/** With what every call of a whole answer has; calls of custom tools come without a type. Whatever came stays: guards are to see it. */
function whole({ id, type, function: called, ...rest }: Joined): ToolCall {
  return {
    id: id ?? '',
    type: type ?? (isObject(rest.custom) ? 'custom' : 'function'),
    ...(called === undefined ? {} : { function: isObject(called) ? { name: '', arguments: '', ...called } : called }),
    ...rest,
  } as ToolCall;
}
