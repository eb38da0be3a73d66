import type { JsonObject, JsonValue } from '@svc/sdk';
import { objectsIn } from '@svc/sdk/protocol';
import { type Identity, isCount, isObject } from '@svc/toolkit/upstream';
import { dropNulls } from './drop-nulls.ts';

/** Fills in fields that many servers omit, and drops an invalid usage: the gateway then counts by itself. */
export function mendCommonFields(answer: JsonObject, object: string, identity: Identity): void {
  answer.object = object;
  if (typeof answer.id !== 'string' || answer.id === '') answer.id = identity.id;
  if (typeof answer.model !== 'string') answer.model = identity.model;
  // Some servers send fractions of a second.
  answer.created = typeof answer.created === 'number' ? Math.floor(answer.created) : identity.created;
  const usage = answer.usage ?? misplacedUsage(answer);
  if (usage !== null && isUsage(usage)) answer.usage = usage;
  else if (usage !== null) delete answer.usage;
}

/** Groq puts a stream's usage into `x_groq`, others into its last choice. */
function misplacedUsage({ x_groq, choices }: JsonObject): JsonValue {
  if (isObject(x_groq) && isObject(x_groq.usage)) return x_groq.usage;
  return objectsIn(choices).findLast(({ usage }) => isObject(usage))?.usage ?? null;
}

function isUsage(usage: unknown): boolean {
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
