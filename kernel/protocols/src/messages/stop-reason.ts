import { type FinishReason, finishReason, knownFinishReason } from '../common/finish-reason.ts';
import { STOP_REASONS } from './vocabulary.ts';

const OF_CHAT: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
};

/**
 * The `stop_reason` for a server's reason. Unknown reasons are kept, because the API adds new ones.
 * @throws {ProviderError} see {@link knownFinishReason}
 */
export function stopReason(said: unknown, hasCalls: boolean): string {
  if (typeof said === 'string' && said !== '' && (STOP_REASONS.has(said) || knownFinishReason(said) === null)) return said;
  return OF_CHAT[finishReason(said, hasCalls)];
}
