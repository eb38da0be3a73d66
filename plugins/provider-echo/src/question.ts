import type { ChatMessage } from '@svc/sdk';

/** The text of a message. Text parts are unchanged; other parts appear as their type in brackets, such as `[image_url]`. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map((part) => {
      if (typeof part !== 'object' || part === null || Array.isArray(part)) return '[part]';
      if (part.type === 'text' && typeof part.text === 'string') return part.text;
      return typeof part.type === 'string' ? `[${part.type}]` : '[part]';
    })
    .join(' ');
}

/** The text of the last user message. Empty if there is none. */
export function questionOf(messages: readonly ChatMessage[]): string {
  const last = messages.findLast(({ role }) => role === 'user');
  return last === undefined ? '' : textOf(last);
}
