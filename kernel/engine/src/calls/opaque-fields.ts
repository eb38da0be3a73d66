import type { ChatMessage, ChatRequest, Endpoint } from '@svc/contracts';
import type { OpaqueHandles } from '../content/opaque-handles.ts';
import { concealed, revealed } from '../segments/index.ts';

/**
 * So many values are encrypted in one answer, or decrypted in one request, each in some ten microseconds. An agent's conversation has one for each
 * of its turns with thinking.
 */
const MAX_VALUES = 1_000;

/** What of a run decides what its handles stand for. */
interface Owner {
  readonly principal_id: string;
  readonly route: { readonly name: string; readonly egress: readonly { readonly mode: string }[]; readonly unscannable: string };
}

/**
 * The request as a provider gets it: with its own model name, without `stream`, and with what its own handles stand for. Handles of another
 * route, model or principal go to nobody.
 */
export function upstreamRequest(
  {
    request,
    principal_id,
    route,
  }: { readonly request: ChatRequest } & Pick<Owner, 'principal_id'> & { readonly route: { readonly name: string } },
  { model, provider }: Endpoint,
  handles: OpaqueHandles,
): ChatRequest {
  const owner = { principal_id, provider, model, route: route.name };
  const reveal = bounded((handle) => handles.open(handle, owner));
  const messages = [...request.messages];
  // From the newest on: those of long ago may be missing.
  for (let at = messages.length - 1; at >= 0; at -= 1) messages[at] = revealed(messages[at] as ChatMessage, reveal);
  const asked: ChatRequest = { ...request, model, messages };
  delete asked.stream;
  delete asked.stream_options;
  return asked;
}

/** What leaves in place of what no guard can read, in an answer of this provider. As it is, where no guard enforces anything. */
export function concealing(
  { principal_id, route }: Owner,
  { provider, model }: Endpoint,
  handles: OpaqueHandles,
): <T extends object>(message: T) => T {
  const isGuarded = route.egress.some(({ mode }) => mode === 'enforce') || route.unscannable !== 'pass';
  if (!isGuarded) return (message) => message;
  const owner = { principal_id, provider, model, route: route.name };
  const conceal = bounded((fields) => handles.make(owner, fields));
  return (message) => concealed(message, conceal);
}

/** Null for every value beyond the bound. */
function bounded(change: (value: string) => string | null): (value: string) => string | null {
  let changed = 0;
  return (value) => {
    changed += 1;
    return changed > MAX_VALUES ? null : change(value);
  };
}
