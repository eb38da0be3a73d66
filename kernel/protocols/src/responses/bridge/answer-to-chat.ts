import type { AnswerBody, AnswerIdentity, ChatCompletion, ChatMessage, JsonObject } from '@svc/contracts';
import { usageToChat } from '../../chat/usage.ts';
import { objectsIn } from '../../common/json-shapes.ts';
import { finishOf, readAnswer } from '../answer.ts';
import { type Delta, OutputToChat } from './output-to-chat.ts';

/**
 * A whole response as a chat completion.
 * @throws {ProviderError} `malformed` for any other value, or the error of a failed response
 */
export function answerToChat(answer: AnswerBody, { id, created, model }: AnswerIdentity): ChatCompletion {
  const { output, status, incomplete_details, usage, service_tier } = readAnswer(answer);
  const parts = new OutputToChat();
  const message = messageOf(parts.finish(objectsIn(output)));
  const finish_reason = finishOf(status, incomplete_details, parts.hasCalls);
  const counted = usageToChat(usage);
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    ...(typeof service_tier === 'string' && { service_tier }),
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    ...(counted !== undefined && { usage: counted }),
    ...(parts.lost.length > 0 && { svc_left_out: parts.lost }),
  };
}

/** Joins pieces into a message. */
function messageOf(deltas: readonly Delta[]): ChatMessage {
  const message: JsonObject = { role: 'assistant', content: null };
  const calls: JsonObject[] = [];
  for (const [name, piece] of deltas.flatMap((delta) => Object.entries(delta))) {
    const before = message[name] ?? null;
    if (name === 'tool_calls') calls.push(...objectsIn(piece));
    else if (Array.isArray(piece)) message[name] = Array.isArray(before) ? [...before, ...piece] : [...piece];
    else message[name] = typeof before === 'string' && typeof piece === 'string' ? before + piece : piece;
  }
  const called = calls.map(({ index: _, ...call }) => call);
  return { ...message, ...(called.length > 0 && { tool_calls: called }) } as ChatMessage;
}
