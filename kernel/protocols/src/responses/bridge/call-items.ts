import type { AnswerFrame, JsonObject, ToolCallDelta } from '@svc/contracts';
import { CALLS } from '../frames/part.ts';
import { framesOfItem } from '../frames/whole-frames.ts';
import type { ItemPlace, ItemStatus, OutputItem } from './output-items.ts';
import type { SpacedName } from './tools-to-chat.ts';

/** A piece of a tool call. The chat format has no type for pieces of custom tools. */
export type CallPiece = ToolCallDelta & { readonly custom?: { readonly name?: string; readonly input?: string } };

export class CallItem implements OutputItem {
  readonly #type: 'function_call' | 'custom_tool_call';
  readonly #field: 'arguments' | 'input';
  readonly #at: { readonly item_id: string; readonly output_index: number };
  readonly #call_id: string;
  readonly #named: JsonObject;
  #text = '';
  #status: ItemStatus | 'in_progress' = 'in_progress';

  constructor({ run_id, output_index }: ItemPlace, piece: CallPiece, spaced: ReadonlyMap<string, SpacedName>) {
    const isCustom = piece.custom !== undefined;
    this.#type = isCustom ? 'custom_tool_call' : 'function_call';
    this.#field = isCustom ? 'input' : 'arguments';
    this.#at = { item_id: `${isCustom ? 'ctc' : 'fc'}_${run_id}_${output_index}`, output_index };
    this.#call_id = piece.id ?? '';
    const name = (piece.custom ?? piece.function)?.name ?? '';
    this.#named = { ...(spaced.get(name) ?? { name }) };
  }

  get item(): JsonObject {
    const said = { id: this.#at.item_id, type: this.#type, call_id: this.#call_id, ...this.#named, [this.#field]: this.#text };
    return { ...said, status: this.#status };
  }

  get isOpen(): boolean {
    return this.#status === 'in_progress';
  }

  take(piece: CallPiece): AnswerFrame[] {
    const delta = piece.custom?.input ?? piece.function?.arguments ?? '';
    this.#text += delta;
    return delta === '' ? [] : [{ type: `${this.#events}.delta`, ...this.#at, delta }];
  }

  close(status: ItemStatus): AnswerFrame[] {
    if (!this.isOpen) return [];
    this.#status = status;
    return [
      { type: `${this.#events}.done`, ...this.#at, [this.#field]: this.#text },
      { type: 'response.output_item.done', output_index: this.#at.output_index, item: this.item },
    ];
  }

  get #events(): string {
    return CALLS.get(this.#type)?.events ?? '';
  }
}

/** A call that the vendor ran. It is written when it has ended, as the vendor sent it. */
export class VendorItem implements OutputItem {
  readonly item: JsonObject;
  readonly isOpen = false;
  readonly #output_index: number;

  constructor(item: JsonObject, output_index: number) {
    this.item = item;
    this.#output_index = output_index;
  }

  /** All frames of the item, which does not change after the first. */
  get frames(): AnswerFrame[] {
    const at = { output_index: this.#output_index, item_id: this.item.id };
    const steps = this.item.type === 'web_search_call' ? ['in_progress', 'searching', 'completed'] : [];
    const [begun, ended] = [...framesOfItem(this.item, this.#output_index)];
    const said = steps.map((step) => ({ type: `response.web_search_call.${step}`, ...at }));
    return [...(begun === undefined ? [] : [begun]), ...said, ...(ended === undefined ? [] : [ended])];
  }

  close(): AnswerFrame[] {
    return [];
  }
}
