import { type JsonObject, type JsonValue, withoutDate } from '@svc/contracts';

/** Types of tools that run at the client. All others run at the vendor: for most of them, no guard sees input or output. */
const CALLERS: ReadonlySet<unknown> = new Set(['function', 'custom']);

/** @param listed types that the route lets pass */
export function mayPass(type: unknown, listed: readonly string[]): boolean {
  return CALLERS.has(type) || isListed(type, listed);
}

/** A body with some fields changed, in its order; undefined: removed. */
export function withChanged(body: JsonObject, changed: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const fields = Object.entries(body).map(
    ([name, value]) => [name, Object.hasOwn(changed, name) ? changed[name] : value] as const,
  );
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined)) as JsonObject;
}

/** A type without a date stands for all its versions. */
export function isListed(type: unknown, listed: readonly string[]): boolean {
  return typeof type === 'string' && (listed.includes(type) || listed.includes(withoutDate(type)));
}
