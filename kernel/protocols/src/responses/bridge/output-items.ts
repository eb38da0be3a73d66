import type { AnswerFrame, JsonObject, JsonValue } from '@svc/contracts';

export type ItemStatus = 'completed' | 'incomplete';

/** The fields that identify an item within its response. */
export interface ItemPlace {
  readonly run_id: string;
  readonly output_index: number;
}

/** An item of `output` that is being written. */
export interface OutputItem {
  /** The item so far. */
  readonly item: JsonObject;
  readonly isOpen: boolean;
  /** The last frames of the item. None if it is already closed. */
  close(status: ItemStatus): AnswerFrame[];
}

type Part =
  | { readonly type: 'output_text'; text: string; readonly annotations: JsonValue[]; readonly logprobs: [] }
  | { readonly type: 'refusal'; refusal: string };

/** A model's message, whose texts and refusals are separate parts. */
export class MessageItem implements OutputItem {
  readonly #at: { readonly item_id: string; readonly output_index: number };
  readonly #content: Part[] = [];
  #status: ItemStatus | 'in_progress' = 'in_progress';

  constructor({ run_id, output_index }: ItemPlace) {
    this.#at = { item_id: `msg_${run_id}_${output_index}`, output_index };
  }

  get item(): JsonObject {
    const content = this.#content.map(copyOf);
    return { id: this.#at.item_id, type: 'message', role: 'assistant', status: this.#status, content };
  }

  get isOpen(): boolean {
    return this.#status === 'in_progress';
  }

  text(delta: string): AnswerFrame[] {
    const frames: AnswerFrame[] = [];
    let part = this.#content.at(-1);
    if (part?.type !== 'output_text') {
      frames.push(...this.#closePart());
      part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
      frames.push(this.#open(part));
    }
    part.text += delta;
    if (delta !== '') frames.push({ type: 'response.output_text.delta', ...this.#place, delta, logprobs: [] });
    return frames;
  }

  refusal(delta: string): AnswerFrame[] {
    const frames: AnswerFrame[] = [];
    let part = this.#content.at(-1);
    if (part?.type !== 'refusal') {
      frames.push(...this.#closePart());
      part = { type: 'refusal', refusal: '' };
      frames.push(this.#open(part));
    }
    part.refusal += delta;
    frames.push({ type: 'response.refusal.delta', ...this.#place, delta });
    return frames;
  }

  /** Adds the sources of the text. If the text has already ended, they appear only in the item. */
  annotate(annotations: readonly JsonValue[]): AnswerFrame[] {
    const frames = this.isOpen ? this.text('') : [];
    const part = this.#content.findLast(({ type }) => type === 'output_text');
    if (part?.type !== 'output_text') return frames;
    for (const annotation of annotations) {
      const annotation_index = part.annotations.push(annotation) - 1;
      if (this.isOpen)
        frames.push({ type: 'response.output_text.annotation.added', ...this.#place, annotation_index, annotation });
    }
    return frames;
  }

  close(status: ItemStatus): AnswerFrame[] {
    if (!this.isOpen) return [];
    const frames = this.#closePart();
    this.#status = status;
    return [...frames, { type: 'response.output_item.done', output_index: this.#at.output_index, item: this.item }];
  }

  get #place() {
    return { ...this.#at, content_index: this.#content.length - 1 };
  }

  #open(part: Part): AnswerFrame {
    this.#content.push(part);
    return { type: 'response.content_part.added', ...this.#place, part: copyOf(part) };
  }

  #closePart(): AnswerFrame[] {
    const part = this.#content.at(-1);
    if (part === undefined) return [];
    const place = this.#place;
    const said: AnswerFrame =
      part.type === 'refusal'
        ? { type: 'response.refusal.done', ...place, refusal: part.refusal }
        : { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] };
    return [said, { type: 'response.content_part.done', ...place, part: copyOf(part) }];
  }
}

/** Copied into a frame, because the part may still change. */
function copyOf(part: Part): Part {
  return part.type === 'output_text' ? { ...part, annotations: [...part.annotations] } : { ...part };
}

/** A model's readable reasoning. */
export class ReasoningItem implements OutputItem {
  readonly #at: { readonly item_id: string; readonly output_index: number };
  #text: string | null = null;
  #encrypted: string | null = null;
  isOpen = true;

  constructor({ run_id, output_index }: ItemPlace) {
    this.#at = { item_id: `rs_${run_id}_${output_index}`, output_index };
  }

  get item(): JsonObject {
    const summary = this.#text === null ? [] : [this.#part];
    return { id: this.#at.item_id, type: 'reasoning', summary, encrypted_content: this.#encrypted };
  }

  get said(): string {
    return this.#text ?? '';
  }

  /** Sets the part of the reasoning that only the vendor can read. */
  encrypt(data: string): void {
    this.#encrypted = data;
  }

  text(delta: string): AnswerFrame[] {
    const place = { ...this.#at, summary_index: 0 };
    const begun: AnswerFrame[] =
      this.#text === null
        ? [{ type: 'response.reasoning_summary_part.added', ...place, part: { type: 'summary_text', text: '' } }]
        : [];
    this.#text = (this.#text ?? '') + delta;
    return [...begun, { type: 'response.reasoning_summary_text.delta', ...place, delta }];
  }

  close(_status: ItemStatus): AnswerFrame[] {
    if (!this.isOpen) return [];
    this.isOpen = false;
    const place = { ...this.#at, summary_index: 0 };
    const said: AnswerFrame[] =
      this.#text === null
        ? []
        : [
            { type: 'response.reasoning_summary_text.done', ...place, text: this.#text },
            { type: 'response.reasoning_summary_part.done', ...place, part: this.#part },
          ];
    return [...said, { type: 'response.output_item.done', output_index: this.#at.output_index, item: this.item }];
  }

  get #part() {
    return { type: 'summary_text', text: this.#text ?? '' };
  }
}
