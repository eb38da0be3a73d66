import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ChatRequest } from '@svc/sdk';
import { maxTokensIn, parametersIn } from '@svc/sdk/protocol';
import { parameterOf } from './parameters.ts';
import { promptOf } from './prompt.ts';
import { toolsOf } from './tools.ts';

/**
 * The call options for an OpenAI chat request, and the names of unsupported parameters. Null values count as absent.
 * @throws {ProviderError} `invalid_request` for messages that the specification cannot express
 */
export function callOptionsOf(request: ChatRequest): { options: LanguageModelV4CallOptions; unsupported: string[] } {
  const { prompt, hintsLost } = promptOf(request.messages);
  const { limit, isOlderLost } = maxTokensIn(request);
  const tools = toolsOf(request);
  const unsupported = [...(hintsLost ? ['messages'] : []), ...(isOlderLost ? ['max_tokens'] : []), ...tools.unsupported];
  let options: LanguageModelV4CallOptions = { prompt, ...(limit !== null && { maxOutputTokens: limit }), ...tools.options };
  for (const [name, value] of parametersIn(request)) {
    const adds = parameterOf(name, value);
    if (adds === null) unsupported.push(name);
    else options = { ...options, ...adds };
  }
  return { options, unsupported };
}
