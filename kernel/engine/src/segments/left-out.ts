import { isKnownField } from './fields.ts';

/** The fields that the segment walk knows, in the order in which they are written. */
export const FIELDS = {
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
const KNOWN: Readonly<Record<Part, ReadonlySet<string>>> = {
  answer: new Set(FIELDS.answer),
  choice: new Set(FIELDS.choice),
  message: new Set(FIELDS.message),
  block: new Set(FIELDS.block),
  call: new Set(FIELDS.call),
};

/**
 * What of an answer was left out behind a guard, by the places of a whole answer, streamed or not. A name that is not in our list was chosen by
 * whoever wrote it: it is told as `other`.
 */
export class LeftOut {
  readonly #names = new Set<string>();

  /** In order. */
  get names(): readonly string[] {
    return [...this.#names].sort();
  }

  /** Notes the fields that a part of an answer has beside the known ones. `also`: what a chunk's part has in addition. */
  note(part: Part, value: object, also = ''): void {
    for (const name of Object.keys(value)) {
      if (KNOWN[part].has(name) || name === also || isEmpty(Reflect.get(value, name))) continue;
      this.#names.add(PREFIX[part] + (isKnownField(name) ? name : 'other'));
    }
  }

  /** Notes a block of thinking that has not the closed form of one. */
  noteBlock(): void {
    this.#names.add(`${PREFIX.message}thinking_blocks`);
  }
}

/** Many upstreams write what they do not use as null or an empty list. */
function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === undefined || value === '';
}
