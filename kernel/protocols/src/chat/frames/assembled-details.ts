import { isObject, type JsonObject } from '@svc/contracts';
import { define } from '../../common/define.ts';

/** The field of a reasoning detail whose text arrives in pieces. Null: the detail arrives whole. */
export function growingField({ type, text }: JsonObject): 'text' | 'summary' | null {
  if (type === 'reasoning.summary') return 'summary';
  return type === 'reasoning.text' || typeof text === 'string' ? 'text' : null;
}

/** Fields that arrive whole. */
export const WHOLE_FIELDS: ReadonlySet<string> = new Set(['id', 'format', 'signature', 'data']);

/** Whether a piece continues the text of the last detail. */
export function continuesDetail(last: JsonObject, piece: JsonObject): boolean {
  return growingField(piece) !== null && last.type === piece.type && last.index === piece.index;
}

/** Adds a piece of `reasoning_details`, as OpenRouter streams them. Text is appended to the last detail if type and index match. */
export function joinDetail(details: unknown[], piece: unknown): void {
  const last = details.at(-1);
  if (!isObject(piece) || !isObject(last) || !continuesDetail(last, piece)) {
    details.push(isObject(piece) ? { ...piece } : piece);
    return;
  }
  for (const [name, value] of Object.entries(piece)) {
    const before = last[name];
    const isText = typeof before === 'string' && typeof value === 'string' && name !== 'type' && !WHOLE_FIELDS.has(name);
    if (isText) define(last, name, before + value);
    else if (before == null) define(last, name, value);
  }
}
