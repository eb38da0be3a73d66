import type { LanguageModelV4FinishReason } from '@ai-sdk/provider';
import { ProviderError } from '@svc/sdk';
import { finishReason } from '@svc/sdk/protocol';
import { endedEarly } from '@svc/toolkit/upstream';

/**
 * OpenAI's `finish_reason`.
 * @throws {ProviderError} `unavailable` if the answer failed or broke off
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

/** Like {@link finishReasonOf}, for a stream. If the upstream's stream ends early, packages report `other` without a raw reason. */
export function streamFinishReasonOf(reason: LanguageModelV4FinishReason, hasCalls: boolean): string {
  if (reason.unified === 'other' && reason.raw === undefined) throw endedEarly();
  return finishReasonOf(reason, hasCalls);
}
