import { strictestOrigin, type TextOrigin } from '@svc/contracts';

const BY_ROLE: ReadonlyMap<string | null, TextOrigin> = new Map([
  [null, 'request'],
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

/** @param marked the origin given by its place, type or mark; null: none */
export function originOf(role: string | null, marked: TextOrigin | null): TextOrigin {
  const spoken = BY_ROLE.get(role) ?? 'unknown';
  return strictestOrigin(spoken, marked) ?? spoken;
}

/** @param untrusted the origins that the route does not trust */
export function isUntrusted(origin: TextOrigin, untrusted: readonly TextOrigin[]): boolean {
  return origin === 'unknown' || untrusted.includes(origin);
}
