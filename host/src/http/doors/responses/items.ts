import type { JsonValue, ToolCallDelta } from '@svc/contracts';
import type { SpacedName } from './tools.ts';

/** An event of the stream without its number. */
export type Event = readonly [type: string, fields: Readonly<Record<string, unknown>>];

export type ItemStatus = 'completed' | 'incomplete';

/** What tells the items of one response apart. */
interface Place {
  readonly run_id: string;
  readonly output_index: number;
}

/** One item of `output` while it grows. */
export interface OutputItem {
  /** As it stands. */
  readonly item: object;
  /** The last events of the item; none where it was closed before. */
  close(status: ItemStatus): Event[];
}

type Part =
  | { readonly type: 'output_text'; text: string; readonly annotations: JsonValue[]; readonly logprobs: [] }
  | { readonly type: 'refusal'; refusal: string };

/** A model's answer: texts and refusals, each a part. */
export class MessageItem implements OutputItem {
  readonly #at: { readonly item_id: string; readonly output_index: number };
  readonly #content: Part[] = [];
  #status: ItemStatus | 'in_progress' = 'in_progress';

  constructor({ run_id, output_index }: Place) {
    this.#at = { item_id: `msg_${run_id}_${output_index}`, output_index };
  }

  get item(): object {
    return { id: this.#at.item_id, type: 'message', role: 'assistant', status: this.#status, content: this.#content };
  }

  get isOpen(): boolean {
    return this.#status === 'in_progress';
  }

  text(delta: string): Event[] {
    const events: Event[] = [];
    let part = this.#content.at(-1);
    if (part?.type !== 'output_text') {
      events.push(...this.#closePart());
      part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
      events.push(...this.#open(part));
    }
    part.text += delta;
    if (delta !== '') events.push(['response.output_text.delta', { ...this.#place, delta, logprobs: [] }]);
    return events;
  }

  refusal(delta: string): Event[] {
    const events: Event[] = [];
    let part = this.#content.at(-1);
    if (part?.type !== 'refusal') {
      events.push(...this.#closePart());
      part = { type: 'refusal', refusal: '' };
      events.push(...this.#open(part));
    }
    part.refusal += delta;
    events.push(['response.refusal.delta', { ...this.#place, delta }]);
    return events;
  }

  /** The sources of the text. They may come when it has ended: then they are told by the item alone. */
  annotate(annotations: readonly JsonValue[]): Event[] {
    const events = this.isOpen ? this.text('') : [];
    const part = this.#content.findLast(({ type }) => type === 'output_text');
    if (part?.type !== 'output_text') return events;
    for (const annotation of annotations) {
      const annotation_index = part.annotations.push(annotation) - 1;
      if (this.isOpen) events.push(['response.output_text.annotation.added', { ...this.#place, annotation_index, annotation }]);
    }
    return events;
  }

  close(status: ItemStatus): Event[] {
    if (!this.isOpen) return [];
    const events = this.#closePart();
    this.#status = status;
    return [...events, ['response.output_item.done', { output_index: this.#at.output_index, item: this.item }]];
  }

  get #place() {
    return { ...this.#at, content_index: this.#content.length - 1 };
  }

  #open(part: Part): Event[] {
    this.#content.push(part);
    return [['response.content_part.added', { ...this.#place, part: { ...part } }]];
  }

  #closePart(): Event[] {
    const part = this.#content.at(-1);
    if (part === undefined) return [];
    const place = this.#place;
    const told: Event =
      part.type === 'refusal'
        ? ['response.refusal.done', { ...place, refusal: part.refusal }]
        : ['response.output_text.done', { ...place, text: part.text, logprobs: [] }];
    return [told, ['response.content_part.done', { ...place, part }]];
  }
}

/** What a model thought, as far as it tells. */
export class ReasoningItem implements OutputItem {
  readonly #at: { readonly item_id: string; readonly output_index: number };
  #text: string | null = null;
  #encrypted: string | null = null;
  #closed = false;

  constructor({ run_id, output_index }: Place) {
    this.#at = { item_id: `rs_${run_id}_${output_index}`, output_index };
  }

  get item(): object {
    const summary = this.#text === null ? [] : [this.#part];
    return { id: this.#at.item_id, type: 'reasoning', summary, encrypted_content: this.#encrypted };
  }

  get isOpen(): boolean {
    return !this.#closed;
  }

  /** What its vendor reads alone. */
  encrypt(data: string): void {
    this.#encrypted = data;
  }

  text(delta: string): Event[] {
    const place = { ...this.#at, summary_index: 0 };
    const begun: Event[] =
      this.#text === null
        ? [['response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } }]]
        : [];
    this.#text = (this.#text ?? '') + delta;
    return [...begun, ['response.reasoning_summary_text.delta', { ...place, delta }]];
  }

  close(_status: ItemStatus): Event[] {
    if (this.#closed) return [];
    this.#closed = true;
    const place = { ...this.#at, summary_index: 0 };
    const told: Event[] =
      this.#text === null
        ? []
        : [
            ['response.reasoning_summary_text.done', { ...place, text: this.#text }],
            ['response.reasoning_summary_part.done', { ...place, part: this.#part }],
          ];
    return [...told, ['response.output_item.done', { output_index: this.#at.output_index, item: this.item }]];
  }

  get #part() {
    return { type: 'summary_text', text: this.#text ?? '' };
  }
}

/** Where the text of a call stands, and what its events are named after. */
const CALLS = {
  function: { type: 'function_call', prefix: 'fc', field: 'arguments', events: 'response.function_call_arguments' },
  custom: { type: 'custom_tool_call', prefix: 'ctc', field: 'input', events: 'response.custom_tool_call_input' },
} as const;

/** A piece of a call; those of custom tools no type has. */
export type CallPiece = ToolCallDelta & { readonly custom?: { readonly name?: string; readonly input?: string } };

/** A call of a tool. */
export class CallItem implements OutputItem {
  readonly #form: (typeof CALLS)[keyof typeof CALLS];
  readonly #at: { readonly item_id: string; readonly output_index: number };
  readonly #call_id: string;
  readonly #named: { readonly name: string } | SpacedName;
  #text = '';
  #status: ItemStatus | 'in_progress' = 'in_progress';

  constructor({ run_id, output_index }: Place, piece: CallPiece, spaced: ReadonlyMap<string, SpacedName>) {
    this.#form = CALLS[piece.custom === undefined ? 'function' : 'custom'];
    this.#at = { item_id: `${this.#form.prefix}_${run_id}_${output_index}`, output_index };
    this.#call_id = piece.id ?? '';
    const name = (piece.custom ?? piece.function)?.name ?? '';
    this.#named = spaced.get(name) ?? { name };
  }

  get item(): object {
    const { type, field } = this.#form;
    const said = { id: this.#at.item_id, type, call_id: this.#call_id, ...this.#named, [field]: this.#text };
    return { ...said, status: this.#status };
  }

  take(piece: CallPiece): Event[] {
    const delta = piece.custom?.input ?? piece.function?.arguments ?? '';
    this.#text += delta;
    return delta === '' ? [] : [[`${this.#form.events}.delta`, { ...this.#at, delta }]];
  }

  close(status: ItemStatus): Event[] {
    this.#status = status;
    return [
      [`${this.#form.events}.done`, { ...this.#at, [this.#form.field]: this.#text }],
      ['response.output_item.done', { output_index: this.#at.output_index, item: this.item }],
    ];
  }
}
