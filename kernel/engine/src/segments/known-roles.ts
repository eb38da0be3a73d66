import { type ChatMessage, SvcError } from '@svc/contracts';

const ROLES: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/**
 * Guards choose what to look at by role, so a role that nobody knows is refused rather than guessed at.
 * @throws {SvcError} SVC-REQ-001
 */
export function assertKnownRoles(messages: readonly ChatMessage[]): void {
  const index = messages.findIndex(({ role }) => !ROLES.has(role));
  if (index >= 0) throw new SvcError('SVC-REQ-001', `body/messages/${index}/role must be one of ${[...ROLES].join(', ')}`);
}
