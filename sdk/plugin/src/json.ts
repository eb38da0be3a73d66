/** For untrusted JSON: limits on size and depth, and numbers that keep all their digits. */
export { exactDigits, JSON_LIMITS, JsonCounter, type JsonLimits, parseExact } from '@svc/contracts';
