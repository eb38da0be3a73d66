import { type AnswerBody, type AnswerFrame, isObject, type JsonObject, type RequestBody } from '@svc/contracts';
import { objectsIn, says } from '../common/json-shapes.ts';
import { turnsOf } from './turns.ts';

/** The parts of a request that a model reads. */
export function readIn(body: RequestBody): unknown {
  return [body.instructions ?? '', ...turnsOf(body).map((item) => (isObject(item) ? readable(item) : item))];
}

/** The text that a model wrote in an answer, or null. */
export function writtenIn({ output }: AnswerBody): unknown {
  const written = objectsIn(output).map(readable).filter(hasMore);
  return written.length === 0 ? null : written;
}

export function textOf({ output }: AnswerBody): string {
  const parts = objectsIn(output).flatMap(({ type, content }) => (type === 'message' ? objectsIn(content) : []));
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('');
}

/** Drops ids, types and states, and values that only the vendor reads. */
function readable({ id: _, type: __, status: ___, role: ____, encrypted_content: _____, ...fields }: JsonObject): JsonObject {
  return fields;
}

function hasMore(fields: JsonObject): boolean {
  return Object.values(fields).some(says);
}

const FRAGMENTS = ['output.content.logprobs'];

/** Drops token log probabilities, because guards cannot read text token by token. */
export function checkable(answer: AnswerBody): { readonly answer: AnswerBody; readonly left_out: readonly string[] } {
  const output = withoutFragments(answer.output);
  return output === answer.output ? { answer, left_out: [] } : { answer: { ...answer, output }, left_out: FRAGMENTS };
}

/** As {@link checkable}, for a frame, which has log probabilities in several places. */
export function checkableFrame(frame: AnswerFrame): { readonly answer: AnswerFrame; readonly left_out: readonly string[] } {
  const answer = unfragmented(frame);
  return { answer, left_out: answer === frame ? [] : FRAGMENTS };
}

function unfragmented(frame: AnswerFrame): AnswerFrame {
  const { type } = frame;
  if (type !== 'response.completed' && type !== 'response.incomplete') return withoutFragments(frame);
  const { response } = frame;
  const output = isObject(response) ? withoutFragments(response.output) : undefined;
  return isObject(response) && output !== response.output ? { ...frame, response: { ...response, output } } : frame;
}

/** Returns the value itself if nothing is dropped. Log probabilities are in parts and in the frames that carry parts. */
function withoutFragments<T>(value: T): T {
  if (Array.isArray(value)) {
    const members = value.map((member: unknown) => withoutFragments(member));
    return members.some((member, at) => member !== value[at]) ? (members as T) : value;
  }
  if (!isObject(value)) return value;
  const changed: Record<string, unknown> = {};
  for (const name of ['content', 'part', 'item']) {
    const after = withoutFragments(value[name]);
    if (after !== value[name]) changed[name] = after;
  }
  if (Array.isArray(value.logprobs) && value.logprobs.length > 0) changed.logprobs = [];
  return Object.keys(changed).length === 0 ? value : { ...value, ...changed };
}
