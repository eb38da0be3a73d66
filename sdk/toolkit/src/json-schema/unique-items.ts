/** Whether no two members are equal as JSON. Ajv itself compares every pair, which takes quadratic time. */
export function areUnique(members: readonly unknown[]): boolean {
  return new Set(members.map(canonical)).size === members.length;
}

/** Canonical text of a JSON value, with sorted keys. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`).join(',')}}`;
}
