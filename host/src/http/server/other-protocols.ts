import { SvcError } from '@svc/contracts';

/** Protocols that clients try, by their paths, where no plugin serves them, and what to set in such a client. */
const OTHERS: readonly (readonly [path: RegExp, of: string])[] = [
  [/^\/openai\//, "Azure's"],
  [/^\/v1(beta\d*|alpha|main)\/|^\/v1\/models\/[^/?]*:\w/, "Google's"],
  [/^\/api\/(chat|generate|tags|embed|embeddings|show|ps|version)(\?|$)/, "Ollama's"],
];

/** Told without a key too: such a client sends it in a header of its own, and the answer tells nothing of this gateway. */
export function assertOurProtocol(url: string): void {
  const other = OTHERS.find(([path]) => path.test(url));
  if (other === undefined) return;
  throw new SvcError(
    'SVC-REQ-003',
    `${other[1]} protocol is not served here; set the client to OpenAI's, with this gateway's /v1 as its base URL and the key as Authorization: Bearer`,
  );
}
