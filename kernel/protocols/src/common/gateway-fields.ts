const PREFIX = 'svc_';

/** Whether only the gateway may write a field of this name: its receipts and events. */
export function isGatewayField(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** Without the gateway's own fields. */
export function withoutGatewayFields<T extends object>(fields: T): T {
  for (const name in fields)
    if (name.startsWith(PREFIX)) return Object.fromEntries(Object.entries(fields).filter(([key]) => !isGatewayField(key))) as T;
  return fields;
}
