import { type Dispatcher, Pool } from 'undici';
import { ProxyError, proxyHeaders } from './tunnel.ts';

type Handler = Dispatcher.DispatchHandler;

/** Forwards `http` requests through the proxy without a tunnel, because most proxies allow tunnels only to TLS ports. */
export function forwarding(
  proxy: URL,
  origin: string,
  options: Pool.Options,
  onRefused: (error: ProxyError) => void,
): Dispatcher {
  const own = { host: new URL(origin).host, ...proxyHeaders(proxy) };
  return new Pool(proxy.origin, options).compose((dispatch) => ({ path, headers, ...request }, handler) => {
    const fields = Array.isArray(headers) ? pairsOf(headers) : { ...(headers as Record<string, string> | null) };
    return dispatch(
      { ...request, origin: proxy.origin, path: `${origin}${path}`, headers: { ...fields, ...own } },
      refusable(handler, onRefused),
    );
  });
}

/** Converts pairs, in which undici's `fetch` passes headers. */
function pairsOf(list: readonly unknown[]): Record<string, string> {
  const pairs: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) pairs[`${list[at]}`.toLowerCase()] = `${list[at + 1]}`;
  return pairs;
}

/** A 407 comes from the proxy, not from the server. */
function refusable(handler: Handler, onRefused: (error: ProxyError) => void): Handler {
  return {
    onRequestStart: (...given) => handler.onRequestStart?.(...given),
    onResponseStart: (controller, status, ...given) => {
      if (status !== 407) return handler.onResponseStart?.(controller, status, ...given);
      const refused = new ProxyError('HTTP_407');
      onRefused(refused);
      controller.abort(refused);
    },
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError: (...given) => handler.onResponseError?.(...given),
  };
}
