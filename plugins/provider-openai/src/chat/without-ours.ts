/** A request without the gateway's own `svc_…` fields. */
export function withoutOurs(request: object): object {
  return Object.fromEntries(Object.entries(request).filter(([name]) => !name.startsWith('svc_')));
}
