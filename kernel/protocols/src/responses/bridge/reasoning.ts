import { isObject, type JsonObject } from '@svc/contracts';
import { isText, objectsIn, says } from '../../common/json-shapes.ts';
import { isHandle, isOpaque } from '../../common/opaque.ts';

/** OpenRouter's name for the format of reasoning that only OpenAI's Responses API can read. */
const FORMAT = 'openai-responses-v1';

/** Separates texts that share one field in the chat format. */
export const BREAK = '\n\n';

/** The reasoning of a chat message: for the API that created it, for people, and for Anthropic. */
export interface Reasoning {
  readonly reasoning_details?: JsonObject[];
  readonly reasoning_content?: string;
  readonly thinking_blocks?: JsonObject[];
}

/** A reasoning item of an earlier turn. Null if no model could use it again. */
export function reasoningOf({ id, summary, content, encrypted_content }: JsonObject): Reasoning | null {
  const [summaries, thoughts] = [textsIn(summary), textsIn(content)];
  if (isText(encrypted_content)) {
    const block = blockIn(encrypted_content, summaries.join(BREAK));
    if (block !== null) return { thinking_blocks: [block] };
    return {
      reasoning_details: [
        ...summaries.map((text) => ({ type: 'reasoning.summary', summary: text, format: FORMAT })),
        ...thoughts.map((text) => ({ type: 'reasoning.text', text, format: FORMAT })),
        { type: 'reasoning.encrypted', data: encrypted_content, ...(typeof id === 'string' && { id }), format: FORMAT },
      ],
    };
  }
  const texts = [...summaries, ...thoughts];
  return texts.length === 0 ? null : { reasoning_content: texts.join(BREAK) };
}

/** Joins the reasoning items that led to one message. */
export function joinReasoning(all: readonly Reasoning[]): Reasoning {
  const details = all.flatMap(({ reasoning_details }) => reasoning_details ?? []);
  const blocks = all.flatMap(({ thinking_blocks }) => thinking_blocks ?? []);
  const texts = all.flatMap(({ reasoning_content }) => reasoning_content ?? []);
  return {
    ...(texts.length > 0 && { reasoning_content: texts.join(BREAK) }),
    ...(blocks.length > 0 && { thinking_blocks: blocks }),
    ...(details.length > 0 && { reasoning_details: details }),
  };
}

/** The encrypted part of an item, which the upstream needs back in the next turn, as an entry of `reasoning_details`. Empty if there is none. */
export function detailsOf({ id, encrypted_content }: JsonObject): JsonObject[] {
  if (typeof encrypted_content !== 'string' || encrypted_content === '') return [];
  return [{ type: 'reasoning.encrypted', data: encrypted_content, ...(typeof id === 'string' && { id }), format: FORMAT }];
}

/** The reasoning items for a chat message, and the names of the message's fields that are lost. */
export function reasoningItems(message: Readonly<Record<string, unknown>>): { items: JsonObject[]; lost: readonly string[] } {
  const { reasoning_details: details, reasoning_content: text, thinking_blocks: blocks } = message;
  const own = objectsIn(details).filter(({ format }) => format === FORMAT);
  const { items, isWhole } = itemsOf(own);
  const lost = [
    ...(says(blocks) ? ['thinking_blocks'] : []),
    ...(says(details) && (!isWhole || !Array.isArray(details) || own.length < details.length) ? ['reasoning_details'] : []),
  ];
  if (typeof text !== 'string' || text === '') return { items, lost };
  // Reasoning signed by another vendor is of no use to this vendor.
  if (items.length === 0 && says(blocks)) return { items, lost: [...lost, 'reasoning_content'] };
  return { items: withText(items, text), lost };
}

/** Adds the text as a summary to the encrypted reasoning, unless the items already have another summary. */
function withText(items: readonly JsonObject[], text: string): JsonObject[] {
  const [first, ...others] = items;
  const known = items.flatMap(thoughtsOf);
  if (known.join(BREAK).includes(text)) return [...items];
  if (first !== undefined && known.length === 0) return [{ ...first, summary: [{ type: 'summary_text', text }] }, ...others];
  return [{ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] }, ...items];
}

/** Groups a summary or text with the encrypted reasoning that follows it. */
function itemsOf(details: readonly JsonObject[]): { items: JsonObject[]; isWhole: boolean } {
  const items: JsonObject[] = [];
  let isWhole = true;
  let summary: JsonObject[] = [];
  let content: JsonObject[] = [];
  for (const { type, id, data, summary: said, text } of details) {
    if (type === 'reasoning.summary') summary.push({ type: 'summary_text', text: said ?? '' });
    else if (type === 'reasoning.text') content.push({ type: 'reasoning_text', text: text ?? '' });
    else if (type === 'reasoning.encrypted' && typeof data === 'string') {
      const more = content.length > 0 ? { content } : {};
      items.push({ type: 'reasoning', ...(id !== undefined && { id }), summary, ...more, encrypted_content: data });
      [summary, content] = [[], []];
    } else isWhole = false;
  }
  return { items, isWhole: isWhole && summary.length === 0 && content.length === 0 };
}

/** The texts of a reasoning item: its summary, and its full text if the server reveals it. */
function thoughtsOf({ summary, content }: JsonObject): string[] {
  return [...textsIn(summary), ...textsIn(content)];
}

function textsIn(parts: unknown): string[] {
  return objectsIn(parts).flatMap(({ text }) => (isText(text) ? [text] : []));
}

/** Signatures of Anthropic's thinking, in the form of encrypted content. */
const SIGNED = /^svc_thinking_([0-9a-f]{8})_(.+)$/;
const REDACTED = /^svc_redacted_(.+)$/;

/** A thinking block as the encrypted content of an item. Null if the block is unsigned or its signature is malformed. */
export function encryptedBlock(block: unknown): string | null {
  if (!isObject(block)) return null;
  const { type, thinking, signature, data } = block;
  if (type === 'thinking' && typeof thinking === 'string' && isPlainOpaque(signature))
    return `svc_thinking_${printOf(thinking)}_${signature}`;
  return type === 'redacted_thinking' && isPlainOpaque(data) ? `svc_redacted_${data}` : null;
}

/** The thinking block of an item. A signature is valid only for its own text, so the block is dropped if the text was edited. */
function blockIn(encrypted: string, thinking: string): JsonObject | null {
  const redacted = REDACTED.exec(encrypted)?.[1];
  if (redacted !== undefined) return { type: 'redacted_thinking', data: redacted };
  const [, print, signature] = SIGNED.exec(encrypted) ?? [];
  if (signature === undefined) return null;
  return { type: 'thinking', thinking, ...(print === printOf(thinking) && { signature }) };
}

function isPlainOpaque(value: unknown): value is string {
  return typeof value === 'string' && isOpaque(value) && !isHandle(value);
}

/** FNV-1a hash of a text. It detects edits, but is no protection. */
function printOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
