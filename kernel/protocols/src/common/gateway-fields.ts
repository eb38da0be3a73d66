const PREFIX = 'svc_';

/** Whether a field name is reserved for the gateway's receipts and events. */
export function isGatewayField(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** Drops the gateway's own fields. */
export function withoutGatewayFields<T extends object>(fields: T): T {
  for (const name in fields)
    if (name.startsWith(PREFIX)) return Object.fromEntries(Object.entries(fields).filter(([key]) => !isGatewayField(key))) as T;
  return fields;
}
