import type { JsonObject } from '@svc/sdk';
import { usageIn, usageToChat } from '@svc/sdk/protocol';
import { type Identity, isCount, isObject } from '@svc/toolkit/upstream';
import { dropNulls } from './drop-nulls.ts';

/** Adds fields that many servers omit, and converts usage to OpenAI's format. Drops unreadable usage; the gateway then counts tokens itself. */
export function repairCommonFields(answer: JsonObject, object: string, identity: Identity): void {
  answer.object = object;
  if (typeof answer.id !== 'string' || answer.id === '') answer.id = identity.id;
  if (typeof answer.model !== 'string') answer.model = identity.model;
  // Some servers send fractions of a second.
  answer.created = typeof answer.created === 'number' ? Math.floor(answer.created) : identity.created;
  const found = usageIn(answer);
  const usage = isUsage(found) ? found : (usageToChat(found) as JsonObject | undefined);
  if (usage !== undefined) answer.usage = usage;
  else if (answer.usage !== null) delete answer.usage;
}

/** Whether usage is already in OpenAI's format and can be passed on. */
function isUsage(usage: unknown): usage is JsonObject {
  if (!isObject(usage)) return false;
  if (!isCount(usage.prompt_tokens) || !isCount(usage.completion_tokens) || !isCount(usage.total_tokens)) return false;
  dropNulls(usage, ['prompt_tokens_details']);
  const details = usage.prompt_tokens_details;
  if (details === undefined) return true;
  if (!isObject(details)) return false;
  dropNulls(details, ['cached_tokens']);
  const cached = details.cached_tokens;
  return cached === undefined || (isCount(cached) && cached <= usage.prompt_tokens);
}
