import type { AnswerBody, AnswerFrame, Protocol, RequestBody } from '@svc/contracts';
import type { CallRecord } from '@svc/kernel';

/** Notes what the request asks for, as it is sent. */
export function noteRequest(record: CallRecord, protocol: Protocol, body: RequestBody): void {
  record.request = { ...protocol.factsOf(body), ...protocol.parametersOf?.(body) };
}

/** Notes the upstream's id and model, if this answer or frame has them. @returns whether no later frame is needed */
export function noteHead(record: CallRecord, protocol: Protocol, answer: AnswerBody | AnswerFrame): boolean {
  if (protocol.headOf === undefined) return true;
  const head = protocol.headOf(answer);
  if (head !== null) record.response = { id: answerId(head.id), model: modelName(head.model) };
  return head !== null;
}

const UUID = '[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}';
/** The ids of OpenAI, Anthropic, OpenRouter and Groq, UUIDs and hexadecimal numbers. They have no separators between which words could stand. */
const ANSWER_ID = new RegExp(
  `^(?:(?:chatcmpl|cmpl|resp|msg)[-_](?:[\\da-z]{8,64}|${UUID})|gen-\\d{8,12}-[\\da-z]{8,40}|${UUID}|[\\da-f]{32})$`,
  'i',
);

/** Words of at most 16 letters and digits, the first of which starts with a letter. Keys and tokens are longer. */
const MODEL_NAME = /^(?=[a-z])[a-z\d]{1,16}(?:[./:_-][a-z\d]{1,16}){0,11}(?:@\d{8})?$/i;
/** More digits than a date has could be a number of a person. */
const LONG_NUMBER = /\d{9}/;

/** The upstream's id of an answer. Null if it has another form, and could contain text or a secret. */
export function answerId(id: unknown): string | null {
  return typeof id === 'string' && ANSWER_ID.test(id) ? id : null;
}

/** The upstream's name of the model that answered. Null if it has another form. */
export function modelName(model: unknown): string | null {
  return typeof model === 'string' && MODEL_NAME.test(model) && !LONG_NUMBER.test(model) ? model : null;
}
