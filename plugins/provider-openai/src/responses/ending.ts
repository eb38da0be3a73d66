import type { JsonObject, JsonValue } from '@svc/sdk';
import { isObject, malformed } from '@svc/toolkit/upstream';
import { failureIn } from './failure.ts';

/**
 * Why a response ended, as the chat format says it.
 * @throws {ProviderError} for one that failed or has not ended
 */
export function finishReason({ status, error, incomplete_details }: JsonObject, hasCalls: boolean): string {
  switch (status) {
    case 'completed':
      return hasCalls ? 'tool_calls' : 'stop';
    case 'incomplete': {
      const reason = isObject(incomplete_details) ? incomplete_details.reason : undefined;
      return reason === 'content_filter' ? 'content_filter' : 'length';
    }
    case 'failed':
      throw failureIn(error);
    default:
      throw malformed('a response that has not ended');
  }
}

/** Usage as the chat format counts it; checked with the rest of the answer. */
export function usageOf(usage: JsonValue | undefined): JsonObject {
  if (!isObject(usage)) return {};
  const { input_tokens, output_tokens, total_tokens, input_tokens_details: read, output_tokens_details: written } = usage;
  return {
    usage: {
      prompt_tokens: input_tokens ?? null,
      completion_tokens: output_tokens ?? null,
      total_tokens: total_tokens ?? null,
      ...(isObject(read) && { prompt_tokens_details: { cached_tokens: read.cached_tokens ?? 0 } }),
      ...(isObject(written) && { completion_tokens_details: { reasoning_tokens: written.reasoning_tokens ?? 0 } }),
    },
  };
}

/** The head of a response as that of a chat answer. */
export function headOf({ id, created_at, model, service_tier }: JsonObject): JsonObject {
  return {
    id: id ?? null,
    created: created_at ?? null,
    model: model ?? null,
    ...(typeof service_tier === 'string' && { service_tier }),
  };
}
