import { type AnswerFrame, type FramePlace, type FrameReading, isObject, type JsonObject } from '@svc/contracts';
import { isCount } from '../../common/count.ts';
import { nameIn, numberIn, objectsIn } from '../../common/json-shapes.ts';
import { words } from '../../common/words.ts';
import { malformed } from '../../upstream-error/index.ts';
import { Channels } from './channels.ts';
import { FLOWING, formOfPart, type TextForm } from './events.ts';
import { stringsIn } from './strings.ts';

type Named = FrameReading['pieces'][number];

const MAX_ITEMS = 10_000;

/** The fields of the events that have a piece of a text. */
const DELTA_FIELDS: ReadonlySet<string> = words(
  'type sequence_number item_id output_index content_index summary_index delta logprobs obfuscation',
);

/** An output item that has begun. */
interface Item {
  /** A name made of the item's index. If an upstream uses an index twice, the second item gets a different name. */
  readonly name: string;
  readonly path: string;
  readonly type: unknown;
  readonly isPart: boolean;
  readonly channels: Set<string>;
  isOpen: boolean;
}

/** Tracks the items of a streamed response and their texts. */
export class ItemReader {
  readonly channels = new Channels();
  readonly #items = new Map<number, Item>();
  readonly #byId = new Map<string, Item>();
  #count = 0;

  /** The types of the items that have begun. */
  get begun(): readonly JsonObject[] {
    return [...this.#items.values()].map(({ type }) => ({ type: nameIn(type) }));
  }

  /** The item that a frame belongs to, or null. */
  of({ output_index, item_id }: AnswerFrame): Item | null {
    const known = typeof output_index === 'number' ? this.#items.get(output_index) : undefined;
    return known ?? (typeof item_id === 'string' ? (this.#byId.get(item_id) ?? null) : null);
  }

  begin(frame: AnswerFrame): Partial<FrameReading> {
    const index = indexIn(frame);
    const { item: value } = frame;
    if (!isObject(value)) throw malformed('an item that is not an object');
    const before = this.#items.get(index);
    if (before?.isPart === true && before.isOpen) throw malformed('an item that was started twice');
    const item = this.#add(index, value, before);
    if (item.isPart) return { part: { name: item.name, isComplete: false } };
    const pieces = textsIn(value, ['item']).flatMap(({ form, at, place }) => this.grow(frame, form, place, at));
    return { pieces, ends: this.channels.end(before?.channels ?? []) };
  }

  end(frame: AnswerFrame): Partial<FrameReading> {
    const index = indexIn(frame);
    const { item: value } = frame;
    if (!isObject(value)) throw malformed('an item that is not an object');
    const known = this.#items.get(index);
    const item = known?.isOpen === true ? known : this.#add(index, value, known);
    item.isOpen = false;
    if (item.isPart) return { part: { name: item.name, isComplete: true } };
    return { ends: this.channels.end(item.channels), repeats: repeatsIn(value, ['item'], item.name) };
  }

  /**
   * Reads a piece of a text. Returns nothing if the piece is empty.
   * @throws {ProviderError} `malformed`
   */
  grow(frame: AnswerFrame, form: TextForm, place: FramePlace, at: unknown): readonly Named[] {
    const text = valueAt(frame, place);
    if (typeof text !== 'string') throw malformed('an event without text');
    const item = this.#itemAt(indexIn(frame));
    if (!isCount(at)) throw malformed('an event for an unknown part');
    const beside = place[0] === 'delta' ? this.#beside(frame, item) : [];
    if (text === '') return beside;
    const channel = channelOf(item.name, form, at);
    const { sequence_number, item_id, output_index } = frame;
    const numbered = typeof sequence_number === 'number' ? { sequence_number } : {};
    const identified = typeof item_id === 'string' ? { item_id } : {};
    const logprobs = form.events === 'response.output_text' ? { logprobs: [] } : {};
    const template = {
      type: `${form.events}.delta`,
      ...numbered,
      ...identified,
      output_index,
      [form.index]: at,
      delta: '',
      ...logprobs,
    };
    this.#take(item, channel, channelOf(item.path, form, at), template, ['delta']);
    return [{ channel, place }, ...beside];
  }

  /** Strings beside the text of a delta, in fields that the API does not have. A client may join them too, so each is a piece of a separate text. */
  #beside(frame: AnswerFrame, item: Item): Named[] {
    const { type } = frame;
    const steps = Object.entries(frame).filter(([key]) => key.endsWith('_index'));
    const others = Object.entries(frame).filter(([key]) => !DELTA_FIELDS.has(key));
    return others
      .flatMap(([key, value]) => [...stringsIn(value, [key])])
      .flatMap(({ place, text }) => {
        if (text === '') return [];
        const channel = `${item.name}${JSON.stringify([type, steps, place])}`;
        this.#take(item, channel, `${item.path}.delta`, { ...frame, delta: '' }, place);
        return [{ channel, place }];
      });
  }

  /** Reads an event that repeats a complete text. */
  said(frame: AnswerFrame, form: TextForm, place: FramePlace, at: unknown): Partial<FrameReading> {
    const item = this.#itemAt(indexIn(frame));
    const channel = channelOf(item.name, form, numberIn(at));
    return { ends: this.channels.end([channel]), repeats: [{ channel, place }] };
  }

  /** Each string of an unknown delta is a piece of a separate text. */
  unknown(frame: AnswerFrame): Partial<FrameReading> {
    const { type, delta, output_index } = frame;
    const item = this.of(frame) ?? (isCount(output_index) ? this.#itemAt(output_index) : null);
    const steps = Object.entries(frame).filter(([key]) => key.endsWith('_index'));
    const pieces: Named[] = [];
    for (const { place, text } of stringsIn(delta, ['delta'])) {
      if (text === '') continue;
      const channel = `${item?.name ?? ''}${JSON.stringify([type, steps, place])}`;
      this.#take(item, channel, `${item?.path ?? 'output'}.delta`, frame, place);
      pieces.push({ channel, place });
    }
    return { pieces };
  }

  /** Reads the end of the response, which repeats the whole output. */
  finish(output: readonly JsonObject[]): Pick<FrameReading, 'ends' | 'repeats'> {
    const parts = [...this.#items.values()].filter(({ isPart, isOpen }) => isPart && isOpen);
    const ends = [...this.channels.end(this.channels.names), ...parts.map(({ name }) => name)];
    const repeats = output.flatMap((value, index): readonly Named[] => {
      const place = ['response', 'output', index];
      const item = this.#items.get(index);
      if (item?.isPart === true) return [{ channel: item.name, place }];
      return repeatsIn(value, place, item?.name ?? `output.${index}`);
    });
    return { ends, repeats };
  }

  #add(index: number, { type, id }: JsonObject, before: Item | undefined): Item {
    const path = `output.${index}`;
    if (before === undefined && this.#items.size >= MAX_ITEMS) throw malformed('too many items');
    if (before !== undefined) this.#count += 1;
    const name = before === undefined ? path : `${path}#${this.#count}`;
    const item = { name, path, type, isPart: !FLOWING.has(type ?? 'message'), channels: new Set<string>(), isOpen: true };
    this.#items.set(index, item);
    if (typeof id === 'string') this.#byId.set(id, item);
    return item;
  }

  /** Some upstreams send no event when an item begins. */
  #itemAt(index: number): Item {
    return this.#items.get(index) ?? this.#add(index, { type: 'message' }, undefined);
  }

  #take(item: Item | null, channel: string, path: string, template: AnswerFrame, place: FramePlace): void {
    this.channels.take(channel, path, template, place);
    item?.channels.add(channel);
  }
}

function channelOf(item: string, { list, field }: TextForm, at: number): string {
  return `${item}.${list}.${at}.${field}`;
}

function indexIn({ output_index }: AnswerFrame): number {
  if (!isCount(output_index)) throw malformed('an event for an unknown item');
  return output_index;
}

function valueAt(frame: AnswerFrame, place: FramePlace): unknown {
  return place.reduce<unknown>((at, step) => (typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined), frame);
}

/** The texts of an item that are streamed as events. */
function textsIn(item: JsonObject, above: FramePlace): { form: TextForm; at: number; place: FramePlace }[] {
  return (['content', 'summary'] as const).flatMap((list) =>
    objectsIn(item[list]).flatMap((part, at) => {
      const form = formOfPart(part.type);
      if (form === undefined || form.list !== list || typeof part[form.field] !== 'string') return [];
      return [{ form, at, place: [...above, list, at, form.field] }];
    }),
  );
}

function repeatsIn(item: JsonObject, above: FramePlace, name: string): Named[] {
  return textsIn(item, above).map(({ form, at, place }) => ({ channel: channelOf(name, form, at), place }));
}
