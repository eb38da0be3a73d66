import type { AddedContext, ChatMessage } from '@svc/contracts';

/**
 * Puts the context that a guard adds into a request, always among its new messages (see `Payload.inScope`): a node that sees only those must
 * see text that the caller did not write.
 */
export function addContext(messages: ChatMessage[], { text }: AddedContext): void {
  const roles = messages.map(({ role }) => role);
  const asked = roles.findLastIndex((role) => role !== 'assistant');
  const answered = roles.slice(0, Math.max(asked, 0)).lastIndexOf('assistant');
  const user = roles.lastIndexOf('user');
  messages.splice(user > answered ? user : asked + 1, 0, { role: 'user', content: text });
}
