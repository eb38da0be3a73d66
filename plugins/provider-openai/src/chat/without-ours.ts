/** A copy of a request without the gateway's own `svc_…` fields. */
export function withoutOurs(request: object): object {
  const fields = { ...request };
  for (const name in fields) if (name.startsWith('svc_')) Reflect.deleteProperty(fields, name);
  return fields;
}
