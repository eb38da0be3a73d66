/** Each has its own path, requests and end of stream. */
export const PROTOCOLS = ['chat', 'responses', 'messages'] as const;
export type Protocol = (typeof PROTOCOLS)[number];

export const PATHS: Readonly<Record<Protocol, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** Text that identifies the last event of a complete stream. */
export const LAST_EVENT: Readonly<Record<Protocol, string>> = {
  chat: '[DONE]',
  responses: 'response.completed',
  messages: 'message_stop',
};

/** The protocol of a request path. */
export function protocolAt(path: string): Protocol {
  return PROTOCOLS.find((protocol) => path.startsWith(PATHS[protocol])) ?? 'chat';
}

/** The request body without model and stream. */
export function questionOf(protocol: Protocol, system: string, question: string): object {
  const asked = { role: 'user', content: question };
  if (protocol === 'chat') return { messages: [{ role: 'system', content: system }, asked] };
  if (protocol === 'responses') return { instructions: system, input: [asked] };
  return { system, messages: [asked], max_tokens: 1_000 };
}
