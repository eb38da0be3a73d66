import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';
import { ProviderError } from '@svc/sdk';
import { finishReason } from '@svc/sdk/protocol';
import { endedEarly } from '@svc/toolkit/upstream';

/**
 * OpenAI's `finish_reason`.
 * @throws {ProviderError} `unavailable` for an answer that failed or broke off
 */
export function finishReasonOf({ unified, raw }: LanguageModelV4FinishReason, hasCalls: boolean): string {
  switch (unified) {
    case 'error':
      throw new ProviderError('unavailable', { cause: 'an answer that the model cut off', cost: 'unknown' });
    case 'interrupted':
      throw endedEarly();
    default:
      return finishReason(unified === 'other' ? raw : unified, hasCalls);
  }
}

/**
 * As {@link finishReasonOf}, for a stream. Packages end with `other` and no raw reason where the upstream has said none: its stream ended early.
 */
export function streamFinishReasonOf(reason: LanguageModelV4FinishReason, hasCalls: boolean): string {
  if (reason.unified === 'other' && reason.raw === undefined) throw endedEarly();
  return finishReasonOf(reason, hasCalls);
}
