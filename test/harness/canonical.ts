/**
 * RFC 8785 for the tests, told in the simplest way: members in the order of their UTF-16 code units, numbers and strings as
 * ECMAScript writes them. By itself, so that the product's own function is not its own judge.
 */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
