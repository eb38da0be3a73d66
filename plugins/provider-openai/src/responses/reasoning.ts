import type { JsonObject, JsonValue } from '@svc/sdk';
import { objectsIn } from '../chat/json-shapes.ts';

/** OpenRouter's name for reasoning that only OpenAI's Responses API can read. */
const FORMAT = 'openai-responses-v1';

/** What the upstream needs back on the next turn, as an entry of `reasoning_details`; none where it is not told. */
export function detailsOf({ id, encrypted_content }: JsonObject): JsonObject[] {
  if (typeof encrypted_content !== 'string' || encrypted_content === '') return [];
  return [{ type: 'reasoning.encrypted', data: encrypted_content, ...(typeof id === 'string' && { id }), format: FORMAT }];
}

/** Reasoning items of an earlier turn, a summary before what is encrypted. `lost`: some details are not of this API, or nothing encrypted follows. */
export function reasoningItems(details: JsonValue | undefined): { items: JsonObject[]; lost: boolean } {
  const all = objectsIn(details);
  const own = all.filter(
    ({ format, type }) => format === FORMAT && (type === 'reasoning.encrypted' || type === 'reasoning.summary'),
  );
  let lost = own.length < all.length || (details != null && !Array.isArray(details));
  let summary: JsonObject[] = [];
  const items: JsonObject[] = [];
  for (const { type, id, data, summary: text } of own) {
    if (type === 'reasoning.summary') summary.push({ type: 'summary_text', text: text ?? '' });
    else if (typeof data === 'string') {
      items.push({ type: 'reasoning', ...(id !== undefined && { id }), summary, encrypted_content: data });
      summary = [];
    } else lost = true;
  }
  return { items, lost: lost || summary.length > 0 };
}

/** The texts of what a model thought: its summary, or all of it where a server tells that. */
export function thoughtsOf({ summary, content }: JsonObject): string[] {
  return [...objectsIn(summary), ...objectsIn(content)].flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
}
