import { type AnswerFrame, cloneJson, type FramePlace, type FrameReader, isObject, type JsonObject } from '@svc/contracts';
import { objectsIn } from '../../common/json-shapes.ts';
import { RESPONSES_FRAMES } from './protocol-frames.ts';

const USAGE = { input_tokens: 3, output_tokens: 5, total_tokens: 8 };

export function responseOf(output: readonly JsonObject[], fields: JsonObject = {}): JsonObject {
  const head = { id: 'resp_up', object: 'response', created_at: 1_700_000_000, model: 'gpt', status: 'completed' };
  return { ...head, output: cloneJson([...output]), usage: USAGE, ...fields };
}

/**
 * A response as an upstream streams it.
 * @param cut splits a text into pieces
 * @param says says which events are sent
 */
export function framesOf(
  output: readonly JsonObject[],
  cut: (text: string) => string[] = (text) => text.match(/.{1,3}/gsu) ?? [],
  says: (type: string) => boolean = () => true,
): AnswerFrame[] {
  const response = responseOf(output);
  const begun = { ...response, status: 'in_progress', output: [], usage: null };
  const events: AnswerFrame[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap((item, output_index) => itemFrames(item, output_index, cut)),
    { type: 'response.completed', response },
  ];
  return cloneJson(
    events.filter(({ type }) => says(String(type))).map((event, sequence_number) => ({ ...event, sequence_number })),
  );
}

function itemFrames(item: JsonObject, output_index: number, cut: (text: string) => string[]): AnswerFrame[] {
  const at = { item_id: item.id, output_index };
  const grown = (events: string, field: string, text: unknown, more: object): AnswerFrame[] => [
    ...cut(String(text)).map((delta) => ({ type: `response.${events}.delta`, ...at, ...more, delta, obfuscation: 'aB3' })),
    { type: `response.${events}.done`, ...at, ...more, [field]: text },
  ];
  const inside = (): AnswerFrame[] => {
    switch (item.type) {
      case 'function_call':
        return grown('function_call_arguments', 'arguments', item.arguments, {});
      case 'custom_tool_call':
        return grown('custom_tool_call_input', 'input', item.input, {});
      case 'web_search_call':
        return [{ type: 'response.web_search_call.searching', ...at }];
      default:
        return [
          ...objectsIn(item.summary).flatMap((part, summary_index) => {
            const place = { ...at, summary_index };
            return [
              { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
              ...grown('reasoning_summary_text', 'text', part.text, { summary_index }),
              { type: 'response.reasoning_summary_part.done', ...place, part },
            ];
          }),
          ...objectsIn(item.content).flatMap((part, content_index) => {
            const [events, field] = FORMS.get(part.type) ?? ['', ''];
            const place = { ...at, content_index };
            return [
              { type: 'response.content_part.added', ...place, part: { ...part, [field]: '' } },
              ...grown(events, field, part[field], { content_index }),
              { type: 'response.content_part.done', ...place, part },
            ];
          }),
        ];
    }
  };
  const empty = { ...item, ...EMPTY.get(item.type) };
  return [
    { type: 'response.output_item.added', output_index, item: empty },
    ...inside(),
    { type: 'response.output_item.done', output_index, item },
  ];
}

const FORMS: ReadonlyMap<unknown, readonly [string, string]> = new Map([
  ['output_text', ['output_text', 'text']],
  ['refusal', ['refusal', 'refusal']],
  ['reasoning_text', ['reasoning_text', 'text']],
]);
const EMPTY: ReadonlyMap<unknown, JsonObject> = new Map<unknown, JsonObject>([
  ['message', { content: [] }],
  ['reasoning', { summary: [], content: [] }],
  ['function_call', { arguments: '' }],
  ['custom_tool_call', { input: '' }],
]);

/** Sends frames through a reader in the way of the engine, with a guard that holds each text back until it is complete. */
export function play(reader: FrameReader, frames: readonly AnswerFrame[], guard: (text: string) => string): AnswerFrame[] {
  const engine = new Engine(reader, guard);
  for (const frame of frames) engine.take(cloneJson(frame));
  return engine.sent.map((frame, number) => RESPONSES_FRAMES.numbered(frame, number));
}

class Engine {
  readonly sent: AnswerFrame[] = [];
  readonly #reader: FrameReader;
  readonly #guard: (text: string) => string;
  readonly #texts = new Map<string, { came: string; released: string }>();
  readonly #parts = new Map<string, { readonly frames: AnswerFrame[]; came: unknown; released: unknown }>();

  constructor(reader: FrameReader, guard: (text: string) => string) {
    this.#reader = reader;
    this.#guard = guard;
  }

  take(frame: AnswerFrame): void {
    const { pieces, ends, repeats, part } = this.#reader.read(frame);
    for (const name of ends) this.#end(name);
    if (part !== null) {
      const open = this.#parts.get(part.name) ?? { frames: [], came: null, released: null };
      this.#parts.set(part.name, open);
      open.frames.push(frame);
      if (part.isComplete) this.#endPart(open);
      return;
    }
    for (const { channel, place } of pieces) {
      const text = this.#texts.get(channel) ?? { came: '', released: '' };
      this.#texts.set(channel, { ...text, came: text.came + String(at(frame, place)) });
      put(frame, place, '');
    }
    const left = guardedBut(frame, repeats, this.#guard);
    for (const { channel, place } of repeats) put(left, place, this.#repeated(channel, at(frame, place)));
    if (pieces.length === 0) this.sent.push(left);
  }

  #repeated(channel: string, said: unknown): unknown {
    const known = this.#texts.get(channel) ?? this.#parts.get(channel);
    const isRepeated = known !== undefined && JSON.stringify(known.came) === JSON.stringify(said);
    return isRepeated ? known.released : guardedValue(said, this.#guard);
  }

  #end(name: string): void {
    const part = this.#parts.get(name);
    if (part !== undefined) this.#endPart(part);
    const text = this.#texts.get(name);
    if (text === undefined) return;
    text.released = this.#guard(text.came);
    if (text.released !== '') this.sent.push(this.#reader.pieceOf(name, text.released));
  }

  #endPart(part: { readonly frames: AnswerFrame[]; came: unknown; released: unknown }): void {
    const { path, value } = this.#reader.partOf(part.frames);
    const released = guarded(value, this.#guard);
    part.came = value;
    part.released = released;
    const isEdited = JSON.stringify(released) !== JSON.stringify(value);
    this.sent.push(...(isEdited ? this.#reader.framesOf({ path, value: released }, part.frames) : part.frames));
  }
}

function guardedBut(frame: AnswerFrame, repeats: readonly { place: FramePlace }[], guard: (text: string) => string): AnswerFrame {
  const rest = cloneJson(frame);
  for (const { place } of repeats) put(rest, place, null);
  return guarded(rest as JsonObject, guard);
}

export function guarded(value: JsonObject, guard: (text: string) => string): JsonObject {
  return guardedValue(value, guard) as JsonObject;
}

function guardedValue(value: unknown, guard: (text: string) => string): unknown {
  if (typeof value === 'string') return guard(value);
  if (Array.isArray(value)) return value.map((member) => guardedValue(member, guard));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, guardedValue(member, guard)]));
}

export function at(frame: unknown, place: FramePlace): unknown {
  return place.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    frame,
  );
}

function put(frame: object, place: FramePlace, value: unknown): void {
  const holder = at(frame, place.slice(0, -1));
  if (typeof holder === 'object' && holder !== null) Reflect.set(holder, String(place.at(-1)), value);
}
