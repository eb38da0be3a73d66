import type { ContextLength } from '@svc/contracts';

const UNKNOWN: ContextLength = { tokens: null, output: null, limit: null };

/** Whether the input alone would fit, so that it is enough to ask for less output. */
function isOfOutput({ tokens, output, limit }: ContextLength): boolean {
  return tokens !== null && output !== null && limit !== null && tokens <= limit;
}

/** OpenAI's message for a request that exceeds the context window. Clients recognise it and shorten the request. */
export function openAiTooLong(length: ContextLength = UNKNOWN): string {
  const { tokens, output, limit } = length;
  if (limit === null)
    return 'Your input exceeds the context window of this model: the prompt is too long. Please adjust your input and try again.';
  const maximum = `This model's maximum context length is ${limit} tokens.`;
  if (tokens === null) return `${maximum} However, your messages resulted in more. Please reduce the length of the messages.`;
  if (!isOfOutput(length) || output === null)
    return `${maximum} However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  return `${maximum} However, you requested ${tokens + output} tokens (${tokens} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`;
}

/** Anthropic's message. Clients read both numbers, and lower `max_tokens` if that is enough. */
export function anthropicTooLong(length: ContextLength = UNKNOWN): string {
  const { tokens, output, limit } = length;
  if (limit === null || tokens === null)
    return `prompt is too long: it exceeds the context window of this model${limit === null ? '' : ` of ${limit} tokens`}`;
  if (!isOfOutput(length) || output === null) return `prompt is too long: ${tokens} tokens > ${limit} maximum`;
  return `prompt is too long: ${tokens + output} tokens > ${limit} maximum (input length and \`max_tokens\` exceed context limit: ${tokens} + ${output} > ${limit}, decrease input length or \`max_tokens\` and try again)`;
}
