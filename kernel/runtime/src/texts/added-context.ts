import type { AddedContext, Protocol, RequestBody } from '@svc/contracts';

/**
 * Adds a guard's context to a request. It always becomes one of the new turns (see `Payload.inScope`): nodes that see only new turns must see text
 * that the caller did not write.
 */
export function addContext(protocol: Protocol, request: RequestBody, { text }: AddedContext): void {
  const roles = protocol.rolesOf(request);
  const lastOther = roles.findLastIndex((role) => role !== 'assistant');
  const answered = roles.slice(0, Math.max(lastOther, 0)).lastIndexOf('assistant');
  const user = roles.lastIndexOf('user');
  protocol.addText(request, user > answered ? user : lastOther + 1, text);
}
