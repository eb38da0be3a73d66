import { printable } from '../terminal/terminal.ts';

/** Messages of any protocol, one line each. Content that is not text is shown as JSON. */
export function messageLines(messages: readonly Readonly<Record<string, unknown>>[]): string[] {
  return messages.map((message) => {
    const { role, content, ...others } = message;
    const isPlain = typeof role === 'string' && typeof content === 'string' && Object.keys(others).length === 0;
    return `  ${printable(isPlain ? `${role}: ${content}` : JSON.stringify(message))}`;
  });
}
