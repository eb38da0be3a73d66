/** Untrusted JSON: limits on its size and depth, and numbers with all their digits. */
export { exactDigits, JSON_LIMITS, JsonCounter, type JsonLimits, parseExact } from '@svc/contracts';
