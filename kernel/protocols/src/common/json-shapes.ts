import { isObject, type JsonObject, type JsonValue } from '@svc/contracts';

/** The objects in a value that should be an array of objects. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Content in the chat format. A single text becomes a string, because some servers do not accept parts everywhere. */
export function textOrParts<T extends JsonValue>(parts: T[]): string | T[] {
  const [first] = parts;
  const isAlone = parts.length === 1 && isObject(first) && first.type === 'text' && Object.keys(first).length === 2;
  return isAlone && typeof first.text === 'string' ? first.text : parts;
}

export function present(fields: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as JsonObject;
}

/** A name or a type in a body. Empty if it is not a text. (`String` throws for a number that keeps its digits.) */
export function nameIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** As `Number`, for a value in a body. NaN for an object, such as a number that keeps its digits: `Number` throws for it. */
export function numberIn(value: unknown): number {
  return typeof value === 'object' && value !== null ? Number.NaN : Number(value);
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Whether a value is neither null nor empty. */
export function says(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== null && value !== undefined && value !== '';
}
