/** Whether only the gateway may write a field of this name: its receipts and events. */
export function isGatewayField(name: string): boolean {
  return name.startsWith('svc_');
}

/** Without the gateway's own fields. */
export function withoutGatewayFields<T extends object>(fields: T): T {
  if (!Object.keys(fields).some(isGatewayField)) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isGatewayField(name))) as T;
}
