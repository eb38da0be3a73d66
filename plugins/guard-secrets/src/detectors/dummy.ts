/** Words that show where a secret would be. */
const NAMING = /pass(?:word|wd|phrase)?|pwd|secret|token|key|api|auth|jwt|bearer|user(?:name)?|some|your|my|the|value|here/g;
/** Words of values that are written for a test or an example. */
const INVENTED =
  /example|dummy|fake|sample|placeholder|change[-_]?(?:me|it)|replace[-_]?me|insert|test(?:ing)?|mock|foo|bar|baz|qux|abc|xyz|todo/g;

/**
 * Whether a value contains nothing but such words: `some-password`, `test-token-123`. A value with digits must contain a word for tests, because
 * `secret123` may be a password.
 */
export function isDummy(value: string): boolean {
  const small = value.toLowerCase();
  const rest = small.replace(INVENTED, '');
  const others = rest.replace(NAMING, '');
  if (!/^[-_.:,%0-9]*$/.test(others) || others.length === small.length) return false;
  return /^[^0-9]*$/.test(others) || (rest.length < small.length && isCount(others));
}

/** Digits that somebody counted: `1`, `123`, `12345678`. */
function isCount(text: string): boolean {
  const digits = text.replace(/[^0-9]/g, '');
  return digits.length <= 2 || '01234567890123456789'.includes(digits) || new Set(digits).size === 1;
}
