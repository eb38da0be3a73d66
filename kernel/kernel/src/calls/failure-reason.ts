/** The form of system error codes (`ECONNREFUSED`, `UND_ERR_SOCKET`). Such a code comes from a library, not from an upstream. */
const CODE = /^[A-Z][A-Z0-9_]{2,63}$/;

/** The code of the root cause, for the operator's log; null if it has none. Never a message. */
export function failureReason(error: unknown): string | null {
  for (let at: unknown = error, depth = 0; depth < 8; depth += 1) {
    if (typeof at === 'string') return CODE.test(at) ? at : null;
    if (typeof at !== 'object' || at === null) return null;
    if ('code' in at && typeof at.code === 'string' && CODE.test(at.code)) return at.code;
    at = 'cause' in at ? at.cause : null;
  }
  return null;
}
