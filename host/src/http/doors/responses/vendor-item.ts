import type { JsonObject } from '@svc/contracts';
import type { Event, OutputItem } from './items.ts';

/** The call of a tool that a vendor ran: as the vendor tells it, once it has ended. */
export class VendorItem implements OutputItem {
  readonly item: JsonObject;
  readonly #output_index: number;

  constructor(item: JsonObject, output_index: number) {
    this.item = item;
    this.#output_index = output_index;
  }

  /** All of its events: behind the first it does not grow. */
  get events(): Event[] {
    const { item } = this;
    const output_index = this.#output_index;
    const at = { output_index, item_id: item.id };
    const steps = item.type === 'web_search_call' ? ['in_progress', 'searching', 'completed'] : [];
    return [
      ['response.output_item.added', { output_index, item: { ...item, status: 'in_progress' } }],
      ...steps.map((step): Event => [`response.web_search_call.${step}`, at]),
      ['response.output_item.done', { output_index, item }],
    ];
  }

  close(): Event[] {
    return [];
  }
}
