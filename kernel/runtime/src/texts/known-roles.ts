import { type ChatMessage, SvcError } from '@svc/contracts';
import { ROLES } from '@svc/protocols';

/** Refuses unknown roles, because guards select texts by role. @throws {SvcError} SVC-REQ-001 */
export function assertKnownRoles(messages: readonly ChatMessage[]): void {
  const index = messages.findIndex(({ role }) => !ROLES.has(role));
  if (index >= 0) throw new SvcError('SVC-REQ-001', `body/messages/${index}/role must be one of ${[...ROLES].join(', ')}`);
}
