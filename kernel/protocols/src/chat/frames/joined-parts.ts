import { isObject, JsonCounter, type ToolCall } from '@svc/contracts';
import { objectsIn, says } from '../../common/json-shapes.ts';
import { type Joined, joined } from './joined.ts';
import { isNumbered } from './numbered.ts';

/** Maximum repetitions of a text: what guards find in this many, they find in more. */
const MAX_REPEATED = 8;

/** Members whose items come whole unless they are numbered: images of OpenRouter, tools of Groq, documents of Azure, sources of others. */
const WHOLE: ReadonlySet<string> = new Set([
  'annotations',
  'citations',
  'content_parts',
  'context',
  'executed_tools',
  'images',
  'search_results',
  'vendor_calls',
]);
/** Members whose texts are streamed. */
const FLOWING: ReadonlySet<string> = new Set(['audio', 'reasoning_details', 'thinking_blocks']);

/** Whether a member of a delta waits until the answer has ended: calls, and objects and lists that nobody knows, which may come in pieces. */
export function isPart(field: string, member: unknown): boolean {
  if (typeof member !== 'object' || !says(member) || FLOWING.has(field)) return false;
  return !WHOLE.has(field) || !Array.isArray(member) || member.some(isNumbered);
}

/** The parts of one choice: calls, joined by their indexes, and other members. */
export class JoinedParts {
  readonly #calls = new Map<number, Joined>();
  readonly #counter: JsonCounter;
  #others: Joined | null = null;
  /** Repeated texts, and how often each was repeated. */
  readonly #again = new Map<string, number>();

  /** @param counter counts what is kept, for all choices of an answer */
  constructor(counter = new JsonCounter()) {
    this.#counter = counter;
  }

  /** @throws {ProviderError} `malformed`, see {@link joined} */
  take({ tool_calls, function_call, ...others }: Readonly<Record<string, unknown>>): void {
    for (const { index, ...piece } of objectsIn(tool_calls)) {
      const at = Number(index);
      const call = joined(this.#calls.get(at) ?? null, piece, this.#counter, this.#count);
      if (call !== null) this.#calls.set(at, call);
    }
    this.#others = joined(this.#others, { function_call }, this.#counter, this.#count);
    this.#others = joined(this.#others, others, this.#counter, 'goes on');
  }

  /** As fields of a message. */
  fields(): { tool_calls?: ToolCall[]; [field: string]: unknown } {
    const calls = this.indexes.map((at) => whole(this.#calls.get(at) ?? {}));
    return { ...(calls.length === 0 ? {} : { tool_calls: calls }), ...this.#others };
  }

  /** Repeated texts, as clients see them that concatenate all pieces. */
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
