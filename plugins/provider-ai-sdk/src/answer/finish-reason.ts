import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';
import { ProviderError } from '@svc/sdk';
import { endedEarly } from '@svc/toolkit/upstream';

/**
 * OpenAI's `finish_reason`.
 * @throws {ProviderError} `unavailable` for an answer that failed or broke off
 */
export function finishReasonOf({ unified }: LanguageModelV4FinishReason): string {
  switch (unified) {
    case 'length':
      return 'length';
    case 'tool-calls':
      return 'tool_calls';
    case 'content-filter':
      return 'content_filter';
    case 'error':
      throw new ProviderError('unavailable', { cause: 'an answer that the model broke off', cost: 'unknown' });
    case 'interrupted':
      throw endedEarly();
    default:
      return 'stop';
  }
}

/**
 * As {@link finishReasonOf}, for a stream. Packages end with `other` and no raw reason where the upstream has said none: its stream ended early.
 */
export function streamFinishReasonOf(reason: LanguageModelV4FinishReason): string {
  if (reason.unified === 'other' && reason.raw === undefined) throw endedEarly();
  return finishReasonOf(reason);
}
