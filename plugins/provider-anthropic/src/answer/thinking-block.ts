import type { JsonObject, ThinkingBlock } from '@svc/sdk';

/** A block as the API wants it back. Null for other blocks, and for thinking that nobody signed. */
export function thinkingBlock({ type, thinking, signature, data }: JsonObject): ThinkingBlock | null {
  if (type === 'thinking' && typeof thinking === 'string' && isFilled(signature)) return { type, thinking, signature };
  return type === 'redacted_thinking' && isFilled(data) ? { type, data } : null;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
