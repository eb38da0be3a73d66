import { type Agent, fetch, type RequestInit } from 'undici';

/** A `fetch` over an agent of a network. The global one takes no agent of another version of undici. */
export function fetchOver(agent: Agent): typeof globalThis.fetch {
  const fetchFrom = async (input: string | URL | Request, init?: object): Promise<unknown> => {
    if (!(input instanceof Request)) return fetch(input, { ...init, dispatcher: agent });
    const { url, method, headers, body, signal, redirect } = input;
    const given = { method, headers: [...headers], body, signal, redirect, duplex: 'half', ...init } as RequestInit;
    return fetch(url, { ...given, dispatcher: agent });
  };
  return fetchFrom as typeof globalThis.fetch;
}
