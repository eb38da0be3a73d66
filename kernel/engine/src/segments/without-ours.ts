/** Without fields that only the gateway may write: its receipts and events. */
export function withoutOurs<T extends object>(fields: T): T {
  const names = Object.keys(fields);
  if (!names.some(isOurs)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isOurs(name))) as T;
}

function isOurs(name: string): boolean {
  return name.startsWith('svc_');
}
