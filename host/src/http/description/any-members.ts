/**
 * Writes `additionalProperties: {}` as `additionalProperties: true`, which means the same. OpenAPI Generator turns the former into Go code that does
 * not compile.
 */
export function withAnyMembers<T>(document: T): T {
  return copied(document) as T;
}

function copied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copied);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === 'additionalProperties' && isEmpty(member) ? true : copied(member),
    ]),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
