import type { AddedContext, Protocol, RequestBody } from '@svc/contracts';

/**
 * Adds the context of a guard to a request. It is always among the new turns (see `Payload.inScope`), because a node that sees only those must see
 * text that the caller did not write.
 */
export function addContext(protocol: Protocol, request: RequestBody, { text }: AddedContext): void {
  const roles = protocol.rolesOf(request);
  const lastOther = roles.findLastIndex((role) => role !== 'assistant');
  const answered = roles.slice(0, Math.max(lastOther, 0)).lastIndexOf('assistant');
  const user = roles.lastIndexOf('user');
  protocol.addText(request, user > answered ? user : lastOther + 1, text);
}
