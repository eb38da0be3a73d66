import { type AnswerBody, type AnswerFrame, isObject, type RequestBody } from '@svc/contracts';

const ENCRYPTED = 'reasoning.encrypted_content';

/** Requests the encrypted reasoning, which a stored conversation needs to be continued. Null: the request asks for it already. */
export function withReasoning(request: RequestBody): RequestBody | null {
  const { include } = request;
  const asked = Array.isArray(include) ? include : [];
  return asked.includes(ENCRYPTED) ? null : { ...request, include: [...asked, ENCRYPTED] };
}

/** A response or a frame without the encrypted reasoning, if the client did not request that. */
export function withoutReasoning<T extends AnswerBody | AnswerFrame>(answer: T): T {
  const { item, response } = answer;
  if (isObject(item)) return { ...answer, item: withoutSealed(item) };
  if (isObject(response)) return { ...answer, response: withoutReasoning(response) };
  return Array.isArray(answer.output) ? { ...answer, output: answer.output.map(withoutSealed) } : answer;
}

function withoutSealed(item: unknown): unknown {
  if (!isObject(item) || item.type !== 'reasoning' || item.encrypted_content == null) return item;
  const { encrypted_content: _, ...rest } = item;
  return rest;
}
