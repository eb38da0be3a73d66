import { isObject, type JsonObject } from '@svc/contracts';
import { objectsIn } from '../../common/json-shapes.ts';
import { Lost } from '../../common/lost.ts';
import { isResponsesName } from '../../names/responses.ts';
import { malformed } from '../../upstream-error/index.ts';
import { CallsToChat, isCall } from './calls-to-chat.ts';
import { BREAK, detailsOf } from './reasoning.ts';
import { SeenTexts } from './seen-texts.ts';

export type Delta = JsonObject;

/**
 * Converts the parts of a response to deltas of one chat message, in order. A whole response and its frames give the same result, even if an upstream
 * sends a text only at the end of a part, an item or the response.
 */
export class OutputToChat {
  /** Encrypted reasoning that waits for the item that it led to. The upstream rejects reasoning without that item. */
  #details: { readonly at: number; readonly detail: JsonObject }[] = [];
  readonly #calls = new CallsToChat();
  readonly #texts = new SeenTexts();
  /** Items by their index in the frames. */
  readonly #begun = new Map<number, JsonObject>();
  readonly #ended = new Set<number>();
  readonly #annotated = new Map<string, number>();
  #thought = '';
  readonly #lost = new Lost(isResponsesName);

  get hasCalls(): boolean {
    return this.#calls.size > 0;
  }

  /** Bytes of the answer that are buffered. */
  get held(): number {
    return this.#texts.held + this.#calls.held;
  }

  /** The fields so far that a chat message cannot express. At the end, this includes reasoning that led to no item. */
  get lost(): readonly string[] {
    return this.#lost.paths;
  }

  /** Starts an item, which may already contain some text. */
  begin(item: JsonObject, at: number): Delta[] {
    this.#begun.set(at, item);
    this.#ended.delete(at);
    if (item.type === 'reasoning') return this.#thoughtsIn(item, at);
    const thought = this.#encryptedBefore(at);
    if (item.type === 'message') return [...thought, ...this.#contentOf(item, at)];
    return isCall(item) ? [...thought, this.#calls.begin(item, at)] : thought;
  }

  /** Ends an item. Its reasoning is sent with the next item. The call of a vendor's tool is sent unchanged. */
  end(item: JsonObject, at: number): Delta[] {
    const begun = this.#begun.has(at) ? [] : this.begin(item, at);
    const isFirst = !this.#ended.has(at);
    this.#ended.add(at);
    noteLost(item, this.#lost);
    if (item.type === 'reasoning') {
      if (isFirst) this.#details.push(...detailsOf(item).map((detail) => ({ at, detail })));
      return [...begun, ...this.#thoughtsIn(item, at)];
    }
    // Some upstreams send encrypted reasoning only at the end.
    const thought = this.#encryptedBefore(at);
    if (item.type === 'message') return [...begun, ...thought, ...this.#contentOf(item, at)];
    if (isCall(item)) return [...begun, ...thought, ...this.#calls.end(item, at)];
    return [...begun, ...thought, ...(isFirst ? [{ vendor_calls: [item] }] : [])];
  }

  /** Takes the whole output, which the last frame repeats. */
  finish(output: readonly JsonObject[]): Delta[] {
    const placed = new Set<number>();
    const deltas = output.flatMap((item, index) => {
      const place = this.#placeOf(item, index, placed);
      placed.add(place);
      return this.end(item, place);
    });
    if (this.#details.length > 0) this.#lost.note('output', 'encrypted_content');
    return deltas;
  }

  text(at: number, part: number, text: unknown): Delta {
    return { content: this.#texts.push(`${at}.${part}`, text, at) };
  }

  /** Takes the final text of a part. */
  textDone(at: number, part: number, text: unknown): Delta[] {
    const rest = this.#texts.rest(`${at}.${part}`, text, at);
    return rest === '' ? [] : [{ content: rest }];
  }

  refusal(at: number, part: number, text: unknown): Delta {
    return { refusal: this.#texts.note(`${at}.${part}.refusal`, text) };
  }

  refusalDone(at: number, part: number, text: unknown): Delta[] {
    const rest = this.#texts.restOf(`${at}.${part}.refusal`, text);
    return rest === '' ? [] : [{ refusal: rest }];
  }

  /** @param part identifies the summary or text within the item */
  thought(at: number, part: string, text: unknown): Delta {
    return this.#think(`${at}.${part}`, this.#texts.note(`${at}.${part}`, text));
  }

  thoughtDone(at: number, part: string, text: unknown): Delta[] {
    const rest = this.#texts.restOf(`${at}.${part}`, text);
    return rest === '' ? [] : [this.#think(`${at}.${part}`, rest)];
  }

  /** Adds a source to a part. */
  annotation(at: number, part: number, annotation: unknown): Delta {
    if (!isObject(annotation)) throw malformed('an annotation that is not an object');
    const name = `${at}.${part}`;
    this.#annotated.set(name, (this.#annotated.get(name) ?? 0) + 1);
    if (annotation.type !== 'url_citation') return { annotations: [annotation] };
    const { type, start_index, end_index, ...source } = annotation;
    const begins = this.#texts.beginOf(name);
    const from = (index: unknown): number => (typeof index === 'number' ? index + begins : 0);
    const url_citation = { ...source, start_index: from(start_index), end_index: from(end_index) };
    return { annotations: [{ type, url_citation }] };
  }

  callText(at: number, text: unknown): Delta {
    return this.#calls.grow(at, text);
  }

  callDone(at: number, text: unknown): Delta[] {
    return this.#calls.done(at, text);
  }

  #encryptedBefore(at: number): Delta[] {
    const before = this.#details.filter((each) => each.at < at);
    this.#details = this.#details.filter((each) => each.at >= at);
    return before.length > 0 ? [{ reasoning_details: before.map(({ detail }) => detail) }] : [];
  }

  #think(thought: string, text: string): Delta {
    const before = this.#thought !== '' && this.#thought !== thought ? BREAK : '';
    this.#thought = thought;
    return { reasoning_content: before + text };
  }

  #thoughtsIn({ summary, content }: JsonObject, at: number): Delta[] {
    return [
      ...objectsIn(summary).flatMap(({ text }, index) => this.thoughtDone(at, `s${index}`, text ?? '')),
      ...objectsIn(content).flatMap(({ text }, index) => this.thoughtDone(at, `c${index}`, text ?? '')),
    ];
  }

  #contentOf({ content }: JsonObject, at: number): Delta[] {
    return objectsIn(content).flatMap((part, index): Delta[] => {
      if (part.type === 'refusal') return this.refusalDone(at, index, part.refusal);
      if (part.type !== 'output_text') return [];
      const sources = objectsIn(part.annotations).slice(this.#annotated.get(`${at}.${index}`) ?? 0);
      return [...this.textDone(at, index, part.text), ...sources.map((source) => this.annotation(at, index, source))];
    });
  }

  /** Finds the index under which the frames sent an item of the final output. Some upstreams miscount, do not count, or repeat an id. */
  #placeOf(item: JsonObject, index: number, placed: ReadonlySet<number>): number {
    const isSame = (at: number, { id }: JsonObject): boolean => typeof id === 'string' && id === item.id && !placed.has(at);
    const there = this.#begun.get(index);
    if (there !== undefined && isSame(index, there)) return index;
    const known = [...this.#begun].find(([at, begun]) => isSame(at, begun));
    if (known !== undefined) return known[0];
    if (there === undefined || (there.type === item.type && !placed.has(index))) return index;
    return Math.max(...this.#begun.keys(), index) + 1;
  }
}

/** Reports fields that the chat format cannot express as lost, except ids and states, which mean nothing to a client. */
function noteLost(item: JsonObject, lost: Lost): void {
  const { id: _, type, status: __, role: ___, ...fields } = item;
  if (type === 'message') {
    const { content, ...rest } = fields;
    lost.noteAll('output', rest);
    for (const part of objectsIn(content)) notePart(part, lost);
  } else if (type === 'reasoning') {
    const { summary: ____, content: _____, encrypted_content: ______, ...rest } = fields;
    lost.noteAll('output', rest);
  } else if (isCall(item)) {
    const {
      call_id: ____,
      name: _____,
      namespace: ______,
      [type === 'function_call' ? 'arguments' : 'input']: _______,
      ...rest
    } = fields;
    lost.noteAll('output', rest);
  }
}

function notePart({ type, ...part }: JsonObject, lost: Lost): void {
  if (type === 'refusal') {
    const { refusal: _, ...rest } = part;
    lost.noteAll('output.content', rest);
  } else if (type === 'output_text') {
    const { text: _, annotations: __, ...rest } = part;
    lost.noteAll('output.content', rest);
  } else lost.note('output.content', typeof type === 'string' ? type : 'other');
}
