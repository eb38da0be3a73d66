/** Paths below OpenAI's responses, and what to use instead of each. */
const OF_RESPONSES: readonly (readonly [path: RegExp, instead: string])[] = [
  [
    /^\/v1\/responses\/compact$/,
    'no such path: to compact a conversation, send POST /v1/responses with an item of type compaction_trigger in the input, or with context_management, to a route whose provider uses the Responses API',
  ],
  [
    /^\/v1\/responses\/[^/]+\/input_items$/,
    'no such path: use GET /v1/runs/{run_id}/request for the request that was sent to the model; the run id is the part after resp_',
  ],
  [
    /^\/v1\/responses\/[^/]+\/cancel$/,
    'no such path: to cancel a response, close its connection. For background work, use /v1/runs',
  ],
];

/** The message for an unknown path. Clients whose base URL lacks the prefix request `/chat/completions`. */
export function noSuchPath(url: string): string {
  if (url.startsWith('/v1/v1/'))
    return "no such path: remove one /v1 from the client's base URL. It ends with /v1 for OpenAI clients, and has no /v1 for Anthropic clients";
  const path = url.split(/[?#]/, 1)[0] ?? url;
  const instead = OF_RESPONSES.find(([pattern]) => pattern.test(path))?.[1];
  if (instead !== undefined) return instead;
  return url.startsWith('/v1/')
    ? "no such path, or the method is not allowed here. OpenAI's API: /v1/chat/completions, /v1/responses, /v1/embeddings and /v1/models. Anthropic's API: /v1/messages"
    : 'no such path: the API paths start with /v1';
}
