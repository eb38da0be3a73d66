/** Whether only the gateway may write a field of this name: its receipts and events. */
export function isOurs(name: string): boolean {
  return name.startsWith('svc_');
}

/** Without the gateway's own fields. */
export function withoutOurs<T extends object>(fields: T): T {
  if (!Object.keys(fields).some(isOurs)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isOurs(name))) as T;
}
