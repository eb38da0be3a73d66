import type { ChatRequest, Endpoint } from '@svc/contracts';
import type { OpaqueHandles } from '../content/opaque-handles.ts';
import { concealed, revealed } from '../segments/index.ts';

/** What of a run decides what its handles stand for. */
interface Owner {
  readonly principal_id: string;
  readonly route: { readonly egress: readonly { readonly mode: string }[]; readonly unscannable: string };
}

/**
 * The request as a provider gets it: with its own model name, without `stream`, and with what its own handles stand for. Handles of another
 * provider or principal go to nobody.
 */
export function upstreamRequest(
  { request, principal_id }: { readonly request: ChatRequest; readonly principal_id: string },
  { model, provider }: Endpoint,
  handles: OpaqueHandles,
): ChatRequest {
  const { stream: _, stream_options: __, ...rest } = request;
  const reveal = (handle: string): string | null => handles.open(handle, { principal_id, provider });
  return { ...rest, model, messages: rest.messages.map((message) => revealed(message, reveal)) };
}

/** What leaves in place of what no guard can read, in an answer of this provider. As it is, where no guard enforces anything. */
export function concealing(
  { principal_id, route }: Owner,
  { provider }: Endpoint,
  handles: OpaqueHandles,
): <T extends object>(message: T) => T {
  const isGuarded = route.egress.some(({ mode }) => mode === 'enforce') || route.unscannable !== 'pass';
  if (!isGuarded) return (message) => message;
  return (message) => concealed(message, (fields) => handles.make({ principal_id, provider }, fields));
}
