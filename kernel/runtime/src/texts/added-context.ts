import type { AddedContext, Protocol, RequestBody } from '@svc/contracts';

/**
 * Puts the context that a guard adds into a request, always among its new turns (see `Payload.inScope`): a node that sees only those must
 * see text that the caller did not write.
 */
export function addContext(protocol: Protocol, request: RequestBody, { text }: AddedContext): void {
  const roles = protocol.rolesOf(request);
  const asked = roles.findLastIndex((role) => role !== 'assistant');
  const answered = roles.slice(0, Math.max(asked, 0)).lastIndexOf('assistant');
  const user = roles.lastIndexOf('user');
  protocol.addText(request, user > answered ? user : asked + 1, text);
}
