import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ChatRequest, JsonValue } from '@svc/sdk';
import { isOurs } from '@svc/sdk/protocol';
import { parameterOf } from './parameters.ts';
import { promptOf } from './prompt.ts';
import { toolsOf } from './tools.ts';

/** Translated together with others, or by the provider. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'stream',
  'stream_options',
]);

/** `max_completion_tokens` is the newer of OpenAI's two names. If both are given and differ, the older one is not honoured. */
function maxTokens({ max_completion_tokens: newer, max_tokens: older }: ChatRequest) {
  const value = newer ?? older;
  return {
    options: value == null ? {} : { maxOutputTokens: value },
    unsupported: older == null || older === value ? [] : ['max_tokens'],
  };
}

/**
 * The options of a call for an OpenAI chat request, and the names of the parameters that they do not honour. Null counts as absent.
 * @throws {ProviderError} `invalid_request` for messages that the specification has no place for
 */
export function callOptionsOf(request: ChatRequest): { options: LanguageModelV4CallOptions; unsupported: string[] } {
  const { prompt, hintsLost } = promptOf(request.messages);
  const limit = maxTokens(request);
  const tools = toolsOf(request);
  const unsupported = [...(hintsLost ? ['messages'] : []), ...limit.unsupported, ...tools.unsupported];
  let options: LanguageModelV4CallOptions = { prompt, ...limit.options, ...tools.options };
  for (const [name, value] of Object.entries(request)) {
    if (ELSEWHERE.has(name) || isOurs(name) || value === null || value === undefined) continue;
    // The request was parsed from JSON.
    const adds = parameterOf(name, value as JsonValue);
    if (adds === null) unsupported.push(name);
    else options = { ...options, ...adds };
  }
  return { options, unsupported };
}
