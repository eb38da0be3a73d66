import type { SharedV4Warning } from '@ai-sdk/provider';
import type { ChatRequest } from '@svc/sdk';

/** OpenAI's names for the specification's call options. */
const PARAMETERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['maxOutputTokens', ['max_completion_tokens', 'max_tokens']],
  ['temperature', ['temperature']],
  ['topP', ['top_p']],
  ['topK', ['top_k']],
  ['presencePenalty', ['presence_penalty']],
  ['frequencyPenalty', ['frequency_penalty']],
  ['seed', ['seed']],
  ['stopSequences', ['stop']],
  ['responseFormat', ['response_format']],
  ['reasoning', ['reasoning_effort']],
  ['reasoningEffort', ['reasoning_effort']],
  ['strict', ['tools']],
  ['toolChoice', ['tool_choice']],
  // Earlier calls and results. Bedrock accepts them only together with tools.
  ['toolContent', ['messages']],
]);

/** Adds the parameters that the package reports as ignored by the model. */
export function withWarnings(
  unsupported: readonly string[],
  warnings: readonly SharedV4Warning[],
  request: ChatRequest,
): readonly string[] {
  const named = warnings
    .flatMap((warning) => (warning.type === 'unsupported' ? (PARAMETERS.get(warning.feature) ?? []) : []))
    .filter((name) => request[name] !== undefined && request[name] !== null);
  return [...new Set([...unsupported, ...named])];
}
