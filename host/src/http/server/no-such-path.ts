/** Paths below OpenAI's responses, and what to use instead. */
const OF_RESPONSES: readonly (readonly [path: RegExp, instead: string])[] = [
  [
    /^\/v1\/responses\/compact$/,
    'conversations are not compacted under a path of their own: send an item of type compaction_trigger in the input of POST /v1/responses, or context_management, to a route whose provider speaks the Responses API',
  ],
  [
    /^\/v1\/responses\/[^/]+\/input_items$/,
    'no such path: use GET /v1/runs/{run_id}/request for the request that was sent to the model; the run id is the part after resp_',
  ],
  [
    /^\/v1\/responses\/[^/]+\/cancel$/,
    'no such path: a response ends when its connection is closed; background work is sent to /v1/runs',
  ],
];

/** The message for an unknown path. Clients whose base URL lacks the prefix request `/chat/completions`. */
export function noSuchPath(url: string): string {
  if (url.startsWith('/v1/v1/'))
    return "no such path: remove one /v1 from the base URL of this client; it ends with /v1 for clients of OpenAI's API, and without /v1 for those of Anthropic's";
  const path = url.split(/[?#]/, 1)[0] ?? url;
  const instead = OF_RESPONSES.find(([pattern]) => pattern.test(path))?.[1];
  if (instead !== undefined) return instead;
  return url.startsWith('/v1/')
    ? "no such path, or not with this method: of OpenAI's API there are /v1/chat/completions, /v1/responses, /v1/embeddings and /v1/models, of Anthropic's /v1/messages"
    : 'no such path: the API is under /v1';
}
