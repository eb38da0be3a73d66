import { type AnswerFrame, cloneJson, type FramePart, isObject, type JsonObject } from '@svc/contracts';
import { nameIn, numberIn } from '../../common/json-shapes.ts';
import { malformed } from '../../upstream-error/index.ts';
import { stringsIn } from './strings.ts';
import { RESPONSES_FRAME } from './table.ts';

/** The field with the text of a call, and the prefix of its event types. */
export const CALLS: ReadonlyMap<unknown, { readonly field: string; readonly events: string }> = new Map([
  ['function_call', { field: 'arguments', events: 'response.function_call_arguments' }],
  ['custom_tool_call', { field: 'input', events: 'response.custom_tool_call_input' }],
]);

/** The item in these frames, such as a tool call, as in a whole response. `events` has texts outside the item: a client may read them too. */
export function partOf(frames: readonly AnswerFrame[]): FramePart {
  const { output_index, item, isEnded } = itemIn(frames);
  const value = cloneJson(item);
  if (!isEnded) Object.assign(value, textOf(item, frames));
  const said = new Set([...[...stringsIn(value)].map(({ text }) => text), ...keysIn(value)]);
  const beside = textsOf(frames).filter((text) => !said.has(text));
  return { path: `output.${output_index}`, value: beside.length === 0 ? value : { ...value, events: beside } };
}

/** The frames of an item that guards have edited. The item is sent at once. */
export function framesOf({ value }: FramePart, frames: readonly AnswerFrame[]): readonly AnswerFrame[] {
  const { events: _, ...item } = value;
  const { output_index } = itemIn(frames);
  const numbered = frames.some(({ sequence_number }) => typeof sequence_number === 'number') ? { sequence_number: 0 } : {};
  const frame = (type: string, fields: AnswerFrame): AnswerFrame => ({ type, ...numbered, output_index, ...fields });
  const form = CALLS.get(item.type);
  const text = form === undefined ? undefined : item[form.field];
  const empty = form === undefined || typeof text !== 'string' ? item : { ...item, [form.field]: '' };
  const at = typeof item.id === 'string' ? { item_id: item.id } : {};
  return [
    frame('response.output_item.added', { item: 'status' in item ? { ...empty, status: 'in_progress' } : empty }),
    ...(form === undefined || typeof text !== 'string' || text === ''
      ? []
      : [frame(`${form.events}.delta`, { ...at, delta: text }), frame(`${form.events}.done`, { ...at, [form.field]: text })]),
    frame('response.output_item.done', { item }),
  ];
}

/** The last version of the item. */
function itemIn(frames: readonly AnswerFrame[]) {
  const last = frames.findLast(({ item }) => isObject(item));
  if (last === undefined || !isObject(last.item)) throw malformed('a part of an unknown item');
  return { output_index: numberIn(last.output_index), item: last.item, isEnded: last.type === 'response.output_item.done' };
}

/** The text of a call for which no final item arrived. */
function textOf({ type }: JsonObject, frames: readonly AnswerFrame[]): JsonObject {
  const form = CALLS.get(type);
  if (form === undefined) return {};
  const done = frames.findLast((frame) => frame.type === `${form.events}.done`)?.[form.field];
  const deltas = frames.flatMap((frame) => (frame.type === `${form.events}.delta` ? [nameIn(frame.delta)] : []));
  const text = typeof done === 'string' ? done : deltas.join('');
  return text === '' ? {} : { [form.field]: text };
}

/** The texts of the frames that the last version of the item does not contain, joined from their pieces. Unknown keys count as texts. */
function textsOf(frames: readonly AnswerFrame[]): string[] {
  const joined = new Map<string, string>();
  const whole: string[] = [];
  for (const { delta, ...frame } of frames) {
    const { type, item, ...fields } = frame;
    const steps = Object.entries(frame).filter(([key]) => key.endsWith('_index'));
    for (const { place, text } of stringsIn(delta)) {
      const name = JSON.stringify([type, steps, place]);
      joined.set(name, (joined.get(name) ?? '') + text);
    }
    whole.push(...keysIn(delta), ...readableIn(type === 'response.output_item.done' ? { type, ...fields } : frame));
    if (typeof frame.item_id === 'string') whole.push(frame.item_id);
  }
  return [...new Set([...joined.values(), ...whole])].filter((text) => text !== '');
}

/** The strings of a frame that guards read. Words of the protocol and opaque values are not among them. */
function* readableIn(value: unknown, pattern = '', beside: object = {}): Generator<string> {
  if (typeof value === 'string') {
    const { isOwn, vocabulary, opaqueKind } = RESPONSES_FRAME.placeOf(pattern);
    if (!isOwn && !vocabulary.has(value) && opaqueKind?.(value, beside)?.readable !== false) yield value;
  } else if (Array.isArray(value)) for (const member of value) yield* readableIn(member, `${pattern}.*`, value);
  else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const step = stepOf(key);
      if (step === '?') yield key;
      yield* readableIn(member, pattern === '' ? step : `${pattern}.${step}`, value);
    }
  }
}

function stepOf(key: string): string {
  return RESPONSES_FRAME.isKnownField(key) ? key : '?';
}

function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [...(stepOf(key) === '?' ? [key] : []), ...keysIn(member)]);
}
