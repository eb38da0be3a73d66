import { type AnswerBody, type AnswerFrame, isObject, type RequestBody } from '@svc/contracts';

const ENCRYPTED = 'reasoning.encrypted_content';

/** A request for what only the model's vendor can read of its reasoning: a kept conversation goes on with that. Null: it is asked for already. */
export function withReasoning(request: RequestBody): RequestBody | null {
  const { include } = request;
  const asked = Array.isArray(include) ? include : [];
  return asked.includes(ENCRYPTED) ? null : { ...request, include: [...asked, ENCRYPTED] };
}

/** A response, or a frame of one, without it: its caller did not ask. */
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
