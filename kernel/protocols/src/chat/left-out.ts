import { CHAT_NAMES } from '../names/chat.ts';

/** The known fields, in the order in which they are written. */
const FIELDS = {
  answer: ['id', 'object', 'created', 'model', 'system_fingerprint', 'service_tier', 'usage', 'choices'],
  choice: ['index', 'finish_reason', 'message'],
  message: [
    'role',
    'content',
    'refusal',
    'reasoning_content',
    'reasoning',
    'thinking_blocks',
    'reasoning_details',
    'annotations',
    'vendor_calls',
    'audio',
    'function_call',
    'tool_calls',
  ],
  block: ['type', 'thinking', 'signature', 'data'],
  call: ['id', 'type', 'function', 'custom', 'extra_content'],
} as const;
type Part = keyof typeof FIELDS;

const PREFIX = {
  answer: '',
  choice: 'choices.',
  message: 'choices.message.',
  block: 'choices.message.thinking_blocks.',
  call: 'choices.message.tool_calls.',
} as const;

/**
 * The fields of an answer that were left out because no guard can check them, by their paths in a whole answer, streamed or not. A name that is
 * not in our list could be any text: it is reported as `other`.
 */
export class LeftOut {
  readonly #names = new Set<string>();

  /** In order. */
  get names(): readonly string[] {
    return [...this.#names].sort();
  }

  /** Notes the fields of a part of an answer that are not known. `also`: a known field that only the part of a chunk has. */
  note(part: Part, value: object, also = ''): void {
    const known: readonly string[] = FIELDS[part];
    for (const name of Object.keys(value)) {
      if (known.includes(name) || name === also || isEmpty(Reflect.get(value, name))) continue;
      this.#names.add(PREFIX[part] + (CHAT_NAMES.has(name) ? name : 'other'));
    }
  }

  /** The known fields of a part; the others are noted. */
  known<T extends object>(part: Part, value: T): T {
    this.note(part, value);
    const known: Record<string, unknown> = {};
    for (const name of FIELDS[part]) {
      const member: unknown = Reflect.get(value, name);
      if (member !== undefined) known[name] = member;
    }
    return known as T;
  }

  /** Notes a block of thinking that has not the closed form of one. */
  noteBlock(): void {
    this.#names.add(`${PREFIX.message}thinking_blocks`);
  }
}

/** Many upstreams write unused fields as null or an empty list. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === '';
}
