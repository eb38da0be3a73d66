import type { JsonObject, JsonValue } from '@svc/sdk';
import { isObject } from '@svc/toolkit/upstream';
import { objectsIn } from '../json-shapes.ts';

/** OpenRouter's name for reasoning that only OpenAI's Responses API can read. */
const FORMAT = 'openai-responses-v1';

/** What the upstream needs back on the next turn, as an entry of `reasoning_details`; none where it is not told. */
export function detailsOf({ id, encrypted_content }: JsonObject): JsonObject[] {
  if (typeof encrypted_content !== 'string' || encrypted_content === '') return [];
  return [{ type: 'reasoning.encrypted', data: encrypted_content, ...(typeof id === 'string' && { id }), format: FORMAT }];
}

/** Reasoning items of an earlier turn. `lost`: some details are not of this API, or cannot stand without their encrypted part. */
export function reasoningItems(details: JsonValue | undefined): { items: JsonObject[]; lost: boolean } {
  const all = objectsIn(details);
  const own = all.filter(
    ({ format, type }) => format === FORMAT && (type === 'reasoning.encrypted' || type === 'reasoning.summary'),
  );
  const items = own.flatMap((detail) => {
    if (detail.type !== 'reasoning.encrypted' || typeof detail.data !== 'string') return [];
    const summary = own
      .filter(({ type, id }) => type === 'reasoning.summary' && id === detail.id)
      .map(({ summary: text }) => ({ type: 'summary_text', text: text ?? '' }));
    return [{ type: 'reasoning', ...(detail.id !== undefined && { id: detail.id }), summary, encrypted_content: detail.data }];
  });
  const sent = items.reduce((count, { summary }) => count + 1 + summary.length, 0);
  return { items, lost: sent < all.length || (details != null && !Array.isArray(details)) };
}

/** The texts of what a model thought: its summary, or all of it where a server tells that. */
export function thoughtsOf({ summary, content }: JsonObject): string[] {
  return [...objectsIn(summary), ...objectsIn(content)].flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}

export function isReasoning(item: JsonValue | undefined): item is JsonObject {
  return isObject(item) && item.type === 'reasoning';
}
