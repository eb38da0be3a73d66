import type { ChatCompletion } from '@svc/sdk';
import { type Identity, isObject, malformed, parseJson } from '@svc/toolkit/upstream';
import { checkedCompletion } from '../chat/completion.ts';
import { objectsIn } from '../chat/json-shapes.ts';
import { Answer, messageOf } from './answer.ts';
import { finishReason, headOf, usageOf } from './ending.ts';

/**
 * Reads a whole response as a chat completion.
 * @throws {ProviderError} `malformed` for anything else, and what a failed response says
 */
export function readResponse(text: string, identity: Identity): ChatCompletion {
  const response = parseJson(text);
  if (!isObject(response) || response.object !== 'response') throw malformed('not a response');
  const answer = new Answer();
  const { output } = response;
  if (!Array.isArray(output) && response.status !== 'failed') throw malformed('a response without its output');
  const message = messageOf(objectsIn(output).flatMap((item, at) => answer.whole(item, at)));
  const finish_reason = finishReason(response, answer.hasCalls);
  const choices = [{ index: 0, message, logprobs: null, finish_reason }];
  return checkedCompletion({ ...headOf(response), choices, ...usageOf(response.usage) }, identity);
}
