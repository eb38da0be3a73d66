import { type ProtocolPlugin, SvcError } from '@svc/contracts';

/** Protocols that clients try, by their paths. */
const OTHERS: readonly (readonly [path: RegExp, of: string])[] = [
  [/^\/openai\//, "Azure's"],
  [/^\/v1(beta\d*|alpha|main)\/|^\/v1\/models\/[^/?]*:\w/, "Google's"],
  [/^\/api\/(chat|generate|tags|embed|embeddings|show|ps|version)(\?|$)/, "Ollama's"],
];

/** Reported even without a key, because such a client sends the key in a header of its own protocol. */
export function assertOurProtocol(url: string, protocols: readonly ProtocolPlugin[]): void {
  const [path, whose] = OTHERS.find(([each]) => each.test(url)) ?? [];
  if (path === undefined) return;
  const isConfigured = protocols.some(({ door }) => door?.prefixes.some((prefix) => path.test(prefix)));
  throw new SvcError(
    'SVC-REQ-003',
    isConfigured
      ? `no such path in ${whose} API, or the method is not allowed here`
      : `this is a path of ${whose} API, which is not configured. Add its plugin under \`protocols\`, or set the client to OpenAI's API with this gateway's /v1 as base URL and the key as Authorization: Bearer`,
  );
}
