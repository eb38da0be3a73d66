import { type AnswerBody, type AnswerFrame, isObject, type JsonObject } from '@svc/contracts';
import { isText, objectsIn } from '../../common/json-shapes.ts';
import { formOfPart, type TextForm } from './events.ts';
import { CALLS } from './part.ts';

/** The first frames of every response. */
export function* openingOf(response: object): Generator<AnswerFrame> {
  yield { type: 'response.created', response };
  yield { type: 'response.in_progress', response };
}

/** A whole response as frames. Each text is one piece. */
export function* framesOfAnswer(answer: AnswerBody): Generator<AnswerFrame> {
  const ended = 'completed_at' in answer ? { completed_at: null } : {};
  yield* openingOf({ ...answer, status: 'in_progress', incomplete_details: null, ...ended, output: [], usage: null });
  for (const [index, item] of objectsIn(answer.output).entries()) yield* framesOfItem(item, index);
  yield { type: answer.status === 'incomplete' ? 'response.incomplete' : 'response.completed', response: answer };
}

export function* framesOfItem(item: JsonObject, output_index: number): Generator<AnswerFrame> {
  const call = CALLS.get(item.type);
  const begun = { ...item, ...('status' in item && { status: 'in_progress' }) };
  const at = { ...(typeof item.id === 'string' && { item_id: item.id }), output_index };
  const lists = (['summary', 'content'] as const).filter((list) => Array.isArray(item[list]));
  const empty = { ...Object.fromEntries(lists.map((list) => [list, []])), ...(call && { [call.field]: '' }) };
  yield { type: 'response.output_item.added', output_index, item: { ...begun, ...empty } };
  if (call !== undefined) {
    const text = item[call.field];
    if (isText(text)) yield { type: `${call.events}.delta`, ...at, delta: text };
    yield { type: `${call.events}.done`, ...at, [call.field]: text };
  }
  for (const list of lists) {
    for (const [index, part] of objectsIn(item[list]).entries())
      yield* framesOfPart(part, { ...at, [list === 'summary' ? 'summary_index' : 'content_index']: index });
  }
  yield { type: 'response.output_item.done', output_index, item };
}

function* framesOfPart(part: JsonObject, at: object): Generator<AnswerFrame> {
  const form = formOfPart(part.type);
  const name = form?.list === 'summary' ? 'response.reasoning_summary_part' : 'response.content_part';
  yield {
    type: `${name}.added`,
    ...at,
    part: form === undefined ? part : { ...part, [form.field]: '', ...EMPTY.get(part.type) },
  };
  if (form !== undefined) yield* framesOfText(form, part, at);
  yield { type: `${name}.done`, ...at, part };
}

const EMPTY: ReadonlyMap<unknown, object> = new Map([['output_text', { annotations: [], logprobs: [] }]]);

function* framesOfText({ events, field }: TextForm, part: JsonObject, at: object): Generator<AnswerFrame> {
  const text = part[field];
  const logprobs = part.type === 'output_text' ? { logprobs: [] } : {};
  if (text !== '') yield { type: `${events}.delta`, ...at, delta: text, ...logprobs };
  for (const [annotation_index, annotation] of objectsIn(part.annotations).entries())
    if (isObject(annotation)) yield { type: 'response.output_text.annotation.added', ...at, annotation_index, annotation };
  yield { type: `${events}.done`, ...at, [field]: text, ...logprobs };
}
