import { type AnswerFrame, cloneJson, isObject, JSON_VALUE_BYTES, type JsonObject, sizeOf } from '@svc/contracts';
import { nameIn, numberIn, objectsIn } from '../../common/json-shapes.ts';
import { formOfEvent } from './events.ts';

interface GrowingItem {
  readonly item: JsonObject;
  readonly isOpen: boolean;
  /** Size in bytes. */
  held: number;
}

/** The items of a streamed response so far. */
export class GrowingOutput {
  readonly #items = new Map<number, GrowingItem>();
  /** Size of all items in bytes. */
  held = 0;

  take(frame: AnswerFrame): void {
    const { type, item, output_index, part } = frame;
    const index = numberIn(output_index);
    if (type === 'response.output_item.added' && isObject(item)) this.#set(index, cloneJson(item), true);
    else if (type === 'response.output_item.done' && isObject(item)) this.#set(index, item, false);
    else if (type === 'response.content_part.added' && isObject(part)) this.#put(index, 'content', frame.content_index, part);
    else if (type === 'response.reasoning_summary_part.added' && isObject(part))
      this.#put(index, 'summary', frame.summary_index, part);
    else this.#grow(frame, index);
  }

  /** Sorted by index. */
  get items(): readonly { readonly index: number; readonly item: JsonObject; readonly isOpen: boolean }[] {
    const items = [...this.#items].map(([index, { item, isOpen }]) => ({ index, item, isOpen }));
    return items.sort((one, other) => one.index - other.index);
  }

  /** An item that is sent again replaces the assembled one. */
  #set(index: number, item: JsonObject, isOpen: boolean): void {
    const before = this.#items.get(index)?.held ?? 0;
    const held = Math.max(before, sizeOf(item));
    this.held += held - before;
    this.#items.set(index, { item, isOpen, held });
  }

  #count(index: number, bytes: number): void {
    const grown = this.#items.get(index);
    if (grown !== undefined) grown.held += bytes;
    this.held += bytes;
  }

  #grow(frame: AnswerFrame, index: number): void {
    const form = formOfEvent(frame.type, '.delta');
    if (form === undefined) return;
    const part = this.#partAt(index, form.list, numberIn(frame[form.index]));
    if (part === null) return;
    const delta = nameIn(frame.delta);
    part[form.field] = nameIn(part[form.field]) + delta;
    this.#count(index, delta.length + JSON_VALUE_BYTES);
  }

  #partAt(index: number, list: 'content' | 'summary', at: number): JsonObject | null {
    const parts = this.#items.get(index)?.item[list];
    return objectsIn(parts)[at] ?? null;
  }

  #put(index: number, list: 'content' | 'summary', at: unknown, part: JsonObject): void {
    const grown = this.#items.get(index);
    if (grown === undefined || !grown.isOpen) return;
    const parts = objectsIn(grown.item[list]);
    parts[numberIn(at)] = cloneJson(part);
    this.#count(index, sizeOf(part));
    grown.item[list] = parts;
  }
}
