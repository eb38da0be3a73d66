import { type Agent, fetch, type RequestInit } from 'undici';

/** A `fetch` that uses an agent of a network. The global `fetch` does not accept an agent of another undici version. */
export function fetchOver(agent: Agent): typeof globalThis.fetch {
  const fetchFrom = async (input: string | URL | Request, init?: object): Promise<unknown> => {
    if (!(input instanceof Request)) return fetch(input, { ...init, dispatcher: agent });
    const { url, method, headers, body, signal, redirect } = input;
    const given = { method, headers: [...headers], body, signal, redirect, duplex: 'half', ...init } as RequestInit;
    return fetch(url, { ...given, dispatcher: agent });
  };
  return fetchFrom as typeof globalThis.fetch;
}
