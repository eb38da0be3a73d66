import type { JsonObject, JsonValue } from '@svc/sdk';
import { isObject, malformed } from '@svc/toolkit/upstream';
import { objectsIn } from '../chat/json-shapes.ts';
import { detailsOf, thoughtsOf } from './reasoning.ts';

/** A piece of a message in the chat format. */
type Delta = JsonObject;

/** Between two texts that the chat format has one place for. */
const BREAK = '\n\n';

/** Where the text of a call stands, by its type. */
const CALLS = {
  function_call: { type: 'function', field: 'arguments' },
  custom_tool_call: { type: 'custom', field: 'input' },
} as const;

/** Makes pieces of one chat message of what a response consists of, in its order: the same for a whole response and for its events. */
export class Answer {
  /** Encrypted reasoning waits for the item that it led to: without that the upstream does not take it back. */
  #details: JsonObject[] = [];
  readonly #calls = new Map<number, { readonly index: number; readonly type: keyof typeof CALLS }>();
  /** Names of the part and the thought that were written last. */
  #part = '';
  #thought = '';
  #length = 0;
  #partBegins = 0;

  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  /** An item begins. */
  item(item: JsonObject, output_index: number): Delta[] {
    if (item.type === 'reasoning') return [];
    const details = this.#details;
    this.#details = [];
    if (!isOurs(item)) return [];
    const isCall = item.type !== 'message';
    return [...(details.length > 0 ? [{ reasoning_details: details }] : []), ...(isCall ? [this.#call(item, output_index)] : [])];
  }

  /** An item has ended: a reasoning item is sent with what follows, the call of a vendor's tool as it is. */
  ended(item: JsonObject): Delta[] {
    if (item.type === 'reasoning') this.#details.push(...detailsOf(item));
    return item.type === 'reasoning' || isOurs(item) ? [] : [{ vendor_calls: [item] }];
  }

  /** @param part tells the parts of all items apart */
  text(part: string, text: JsonValue | undefined): Delta {
    const piece = textOf(text);
    const [item] = part.split('.');
    const before = this.#length > 0 && this.#part.split('.')[0] !== item ? BREAK : '';
    if (this.#part !== part) this.#partBegins = this.#length + before.length;
    this.#part = part;
    this.#length += before.length + piece.length;
    return { content: before + piece };
  }

  /** @param thought tells the summaries of all items apart */
  thought(thought: string, text: JsonValue | undefined): Delta {
    const before = this.#thought !== '' && this.#thought !== thought ? BREAK : '';
    this.#thought = thought;
    return { reasoning_content: before + textOf(text) };
  }

  /** A source of the part that was written last. */
  annotation(annotation: JsonValue | undefined): Delta {
    if (!isObject(annotation)) throw malformed('an annotation that is none');
    if (annotation.type !== 'url_citation') return { annotations: [annotation] };
    const { type, start_index, end_index, ...source } = annotation;
    const at = { start_index: this.#placeOf(start_index), end_index: this.#placeOf(end_index) };
    return { annotations: [{ type, url_citation: { ...source, ...at } }] };
  }

  callText(output_index: number, text: JsonValue | undefined): Delta {
    const call = this.#calls.get(output_index);
    if (call === undefined) throw malformed('a piece of no call');
    const { type, field } = CALLS[call.type];
    return { tool_calls: [{ index: call.index, [type]: { [field]: textOf(text) } }] };
  }

  /** The pieces of an item that is there as a whole. */
  whole(item: JsonObject, at: number): Delta[] {
    const begun = this.item(item, at);
    const ended = this.ended(item);
    if (item.type === 'reasoning') return thoughtsOf(item).map((text, index) => this.thought(`${at}.${index}`, text));
    if (item.type !== 'message') return [...begun, ...ended];
    const parts = objectsIn(item.content).map((part, index): Delta[] => {
      if (part.type === 'refusal') return [{ refusal: textOf(part.refusal) }];
      if (part.type !== 'output_text') return [];
      const text = this.text(`${at}.${index}`, part.text);
      return [text, ...objectsIn(part.annotations).map((annotation) => this.annotation(annotation))];
    });
    return [...begun, ...parts.flat()];
  }

  #call({ type, call_id, name, ...item }: JsonObject, output_index: number): Delta {
    const form = CALLS[type as keyof typeof CALLS];
    const index = this.#calls.size;
    this.#calls.set(output_index, { index, type: type as keyof typeof CALLS });
    const called = { name: textOf(name), [form.field]: textOf(item[form.field]) };
    return { tool_calls: [{ index, id: textOf(call_id), type: form.type, [form.type]: called }] };
  }

  #placeOf(place: JsonValue | undefined): JsonValue {
    return typeof place === 'number' ? place + this.#partBegins : 0;
  }
}

/** Whether an item has a place of its own in a chat message. */
function isOurs({ type }: JsonObject): boolean {
  return type === 'message' || type === 'function_call' || type === 'custom_tool_call';
}

/** The message that pieces come to. */
export function messageOf(deltas: readonly Delta[]): JsonObject {
  const message: JsonObject = { role: 'assistant', content: null };
  for (const [name, piece] of deltas.flatMap((delta) => Object.entries(delta))) {
    const before = message[name] ?? null;
    if (Array.isArray(piece)) {
      if (Array.isArray(before)) for (const member of piece) before.push(member);
      else message[name] = [...piece];
    } else message[name] = typeof before === 'string' ? before + textOf(piece) : piece;
  }
  if (message.tool_calls !== undefined) message.tool_calls = objectsIn(message.tool_calls).map(({ index: _, ...call }) => call);
  return message;
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value !== 'string') throw malformed('a text that is none');
  return value;
}
