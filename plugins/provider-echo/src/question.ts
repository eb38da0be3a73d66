import type { ChatMessage } from '@svc/sdk';

/** The text of one message: text parts as they are, any other part as its type in brackets, such as `[image_url]`. */
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

/** What is asked: the text of the last message of role `user`, empty where there is none. */
export function questionOf(messages: readonly ChatMessage[]): string {
  const last = messages.findLast(({ role }) => role === 'user');
  return last === undefined ? '' : textOf(last);
}
