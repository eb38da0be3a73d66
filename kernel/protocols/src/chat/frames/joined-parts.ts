import { isObject, JsonCounter, type ToolCall } from '@svc/contracts';
import { isText, objectsIn, says } from '../../common/json-shapes.ts';
import { type Joined, joined } from './joined.ts';
import { isNumbered } from './numbered.ts';

/** Maximum number of repetitions of a text that guards see. More would reveal nothing new. */
const MAX_REPEATED = 8;

/** Lists whose items arrive whole unless the items are numbered: OpenRouter's images, Groq's tools, Azure's documents, and sources. */
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
const FLOWING: ReadonlySet<string> = new Set(['audio', 'reasoning_details', 'thinking_blocks']);

/**
 * Whether guards check a member of a delta only at the end of the answer. They do so for tool calls, and for unknown objects and lists, because these
 * may arrive in pieces.
 */
export function isPart(field: string, member: unknown): boolean {
  if (typeof member !== 'object' || !says(member) || FLOWING.has(field)) return false;
  return !WHOLE.has(field) || !Array.isArray(member) || member.some(isNumbered);
}

/** The parts of one choice: tool calls, joined by their index, and other members. */
export class JoinedParts {
  readonly #calls = new Map<number, Joined>();
  /** The first and the last name received for each call. */
  readonly #names = new Map<number, { readonly first: string; readonly last: string }>();
  readonly #counter: JsonCounter;
  #others: Joined | null = null;
  /** Repeated texts, and how often each was repeated. */
  readonly #repeats = new Map<string, number>();

  /** @param counter limits the JSON kept for all choices of an answer */
  constructor(counter = new JsonCounter()) {
    this.#counter = counter;
  }

  /** @throws {ProviderError} `malformed`, see {@link joined} */
  take({ tool_calls, function_call, ...others }: Readonly<Record<string, unknown>>): void {
    for (const { index, ...piece } of objectsIn(tool_calls)) {
      const at = Number(index);
      const call = joined(this.#calls.get(at) ?? null, piece, this.#counter, this.#count);
      if (call !== null) this.#calls.set(at, call);
      const last = nameIn(piece);
      if (last !== null) this.#names.set(at, { first: this.#names.get(at)?.first ?? last, last });
    }
    this.#others = joined(this.#others, { function_call }, this.#counter, this.#count);
    this.#others = joined(this.#others, others, this.#counter, 'append');
  }

  /** The parts as fields of a message. */
  fields(): { tool_calls?: ToolCall[]; [field: string]: unknown } {
    const calls = this.indexes.map((at) => whole(this.#calls.get(at) ?? {}));
    return { ...(calls.length === 0 ? {} : { tool_calls: calls }), ...this.#others };
  }

  /** Calls whose names arrived in pieces, as seen by clients that keep only the first or the last piece. */
  get renamed(): ToolCall[] {
    return [...this.#names].flatMap(([at, { first, last }]) => {
      const call = this.#calls.get(at);
      return call === undefined || first === last ? [] : [first, last].map((name) => whole(withName(call, name)));
    });
  }

  /** Repeated texts, as seen by clients that concatenate all pieces. */
  get repeated(): string[] {
    return [...this.#repeats].map(([text, times]) => text.repeat(Math.min(times + 1, MAX_REPEATED)));
  }

  readonly #count = (text: string): void => void this.#repeats.set(text, (this.#repeats.get(text) ?? 0) + 1);

  /** Indexes of the calls, in the order of {@link fields}. */
  get indexes(): readonly number[] {
    return [...this.#calls.keys()].sort((a, b) => a - b);
  }
}

/** Adds the fields that every call of a whole answer has. Custom tool calls arrive without a type. All other fields stay, so that guards see them. */
function whole({ id, type, function: called, ...rest }: Joined): ToolCall {
  return {
    id: id ?? '',
    type: type ?? (isObject(rest.custom) ? 'custom' : 'function'),
    ...(called === undefined ? {} : { function: isObject(called) ? { name: '', arguments: '', ...called } : called }),
    ...rest,
  } as ToolCall;
}

function nameIn({ function: called, custom }: Joined): string | null {
  return [called, custom].map((each) => (isObject(each) ? each.name : null)).find(isText) ?? null;
}

function withName({ function: called, custom, ...rest }: Joined, name: string): Joined {
  return {
    ...rest,
    ...(isObject(called) && { function: { ...called, name } }),
    ...(isObject(custom) && { custom: { ...custom, name } }),
  };
}
