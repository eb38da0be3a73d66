import { isObject, type JsonObject } from '@svc/contracts';
import { define } from '../segments/index.ts';

/** Texts of a reasoning detail that grow piece by piece. */
const GROWING = { 'reasoning.text': 'text', 'reasoning.summary': 'summary' } as const;

/** Joins a piece of `reasoning_details`, as OpenRouter streams them, to the details before it: a text goes on in the one of its type and index. */
export function joinDetail(details: unknown[], piece: unknown): void {
  const last = details.at(-1);
  if (!isObject(piece) || !isObject(last) || !continues(last, piece)) {
    details.push(isObject(piece) ? { ...piece } : piece);
    return;
  }
  const field = GROWING[piece.type as keyof typeof GROWING];
  for (const [name, value] of Object.entries(piece)) {
    const before = last[name];
    if (name === field && typeof before === 'string' && typeof value === 'string') last[name] = before + value;
    else if (before == null) define(last, name, value);
  }
}

function continues(last: JsonObject, { type, index }: JsonObject): boolean {
  return typeof type === 'string' && Object.hasOwn(GROWING, type) && last.type === type && last.index === index;
}
