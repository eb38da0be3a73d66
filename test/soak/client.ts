import type { TestGateway } from '../harness/gateway.ts';

/** Longer than every timeout of the configuration together. A request that takes longer hangs. */
const LIMIT_MS = 30_000;

/** What a client saw. `status` 0: the connection was refused or broke. */
export interface Seen {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
  readonly hung: boolean;
}

export interface Asking {
  readonly principal?: string;
  readonly method?: string;
  readonly body?: object | string;
  readonly headers?: Record<string, string>;
  /** Leaves after this many pieces of the answer. */
  readonly leaveAfter?: number;
}

const NOTHING: Omit<Seen, 'hung'> = { status: 0, text: '', headers: new Headers() };

/** Sends a request and reads the answer. Never rejects. */
export async function ask(gateway: TestGateway, path: string, asking: Asking = {}): Promise<Seen> {
  const { principal = 'app', method = 'POST', body, headers, leaveAfter } = asking;
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort('hung'), LIMIT_MS);
  const seen = { ...NOTHING };
  try {
    const response = await fetch(`${gateway.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${keyOf(gateway, principal)}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: leaving.signal,
    });
    seen.headers = response.headers;
    let pieces = 0;
    const decoder = new TextDecoder();
    let text = '';
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      pieces += 1;
      if (pieces === leaveAfter) break;
    }
    return { ...seen, status: response.status, text, hung: false };
  } catch {
    return { ...seen, status: 0, hung: leaving.signal.reason === 'hung' };
  } finally {
    clearTimeout(timer);
  }
}

/** A caller without a key sends one that the gateway does not know. */
function keyOf(gateway: TestGateway, principal: string): string {
  return gateway.keys.get(principal) ?? 'svc-unknown';
}
