import { type AnswerFrame, cloneJson, isObject, type JsonObject } from '@svc/contracts';
import { objectsIn } from '../../common/json-shapes.ts';
import { formOfEvent } from './events.ts';

/** The items of a streamed response as far as they have come. */
export class GrowingOutput {
  readonly #items = new Map<number, { item: JsonObject; isOpen: boolean }>();

  take(frame: AnswerFrame): void {
    const { type, item, output_index, part } = frame;
    const index = Number(output_index);
    if (type === 'response.output_item.added' && isObject(item)) this.#items.set(index, { item: cloneJson(item), isOpen: true });
    else if (type === 'response.output_item.done' && isObject(item)) this.#items.set(index, { item, isOpen: false });
    else if (type === 'response.content_part.added' && isObject(part)) this.#put(index, 'content', frame.content_index, part);
    else if (type === 'response.reasoning_summary_part.added' && isObject(part))
      this.#put(index, 'summary', frame.summary_index, part);
    else this.#grow(frame, index);
  }

  /** In their order. */
  get items(): readonly { readonly index: number; readonly item: JsonObject; readonly isOpen: boolean }[] {
    const items = [...this.#items].map(([index, { item, isOpen }]) => ({ index, item, isOpen }));
    return items.sort((one, other) => one.index - other.index);
  }

  #grow(frame: AnswerFrame, index: number): void {
    const form = formOfEvent(frame.type, '.delta');
    if (form === undefined) return;
    const part = this.#partAt(index, form.list, Number(frame[form.index]));
    if (part !== null) part[form.field] = `${part[form.field] ?? ''}${frame.delta}`;
  }

  #partAt(index: number, list: 'content' | 'summary', at: number): JsonObject | null {
    const parts = this.#items.get(index)?.item[list];
    return objectsIn(parts)[at] ?? null;
  }

  #put(index: number, list: 'content' | 'summary', at: unknown, part: JsonObject): void {
    const grown = this.#items.get(index);
    if (grown === undefined || !grown.isOpen) return;
    const parts = objectsIn(grown.item[list]);
    parts[Number(at)] = cloneJson(part);
    grown.item[list] = parts;
  }
}
