import { type JsonObject, type JsonValue, withoutDate } from '@svc/contracts';

/** Types of tools that run at the client. All other tools run at the vendor; for most of them, no guard sees input or output. */
const CALLERS: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** @param listed types that the route allows */
export function mayPass(type: unknown, listed: readonly string[]): boolean {
  return CALLERS.has(type) || isListed(type, listed);
}

/** A body with some fields changed, in the original order. Undefined: the field is removed. */
export function withChanged(body: JsonObject, changed: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const fields = Object.entries(body).map(
    ([name, value]) => [name, Object.hasOwn(changed, name) ? changed[name] : value] as const,
  );
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Whether a type is listed. A listed type without a date stands for all versions. */
export function isListed(type: unknown, listed: readonly string[]): boolean {
  return typeof type === 'string' && (listed.includes(type) || listed.includes(withoutDate(type)));
}
