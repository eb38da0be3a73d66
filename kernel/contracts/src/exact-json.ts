/** `JSON.rawJSON` and a reviver's source text (ES2026), which TypeScript's es2024 library does not declare. */
const json = JSON as typeof JSON & {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/**
 * Matches numbers whose text may change when JavaScript parses and writes them: a fraction, an exponent, a negative zero, or more digits than a
 * double holds.
 */
const MAY_CHANGE = /\d[.eE]|-0|\d{16}/;
/** Matches numbers outside strings that a double may not represent exactly: 16 or more characters, or an exponent. */
const MAY_LOSE = /[:,[][ \t\r\n]*-?\d(?:[\d.]{15}|[\d.]*[eE])/;
/** Matches a text that consists of a single number. */
const NUMBER_ALONE = /^\s*-?\d/;
/** A double exactly represents every number that is shorter than this and has no exponent. */
const SHORT = 16;

/**
 * Parses JSON so that `JSON.stringify` writes every number exactly as it was, including trailing zeros. Use it for values that are JSON in
 * one protocol and text in another, such as tool arguments.
 * @throws {SyntaxError}
 */
export function parseExact(text: string): unknown {
  return MAY_CHANGE.test(text) ? parsed(text, (source, value) => source !== String(value)) : JSON.parse(text);
}

/**
 * Parses JSON without losing precision. A number that a double cannot represent keeps its digits, and `JSON.stringify` writes them. All other numbers
 * are ordinary. Use it for request and answer bodies.
 * @throws {SyntaxError}
 */
export function parseBody(text: string): unknown {
  return mayLoseDigits(text) ? parsed(text, losesValue) : JSON.parse(text);
}

/** Whether {@link parseBody} may differ from `JSON.parse`, which is faster. */
export function mayLoseDigits(text: string): boolean {
  return MAY_LOSE.test(text) || NUMBER_ALONE.test(text);
}

/** Whether a value is a number that kept its digits. */
export const isExact: (value: unknown) => boolean = json.isRawJSON;

/** The digits of a number whose digits {@link parseExact} or {@link parseBody} kept. Null for any other value. */
export function exactDigits(value: unknown): string | null {
  return json.isRawJSON(value) ? value.rawJSON : null;
}

/** A deep copy of a JSON value. `structuredClone` fails on numbers that kept their digits. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null || json.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, cloneJson(member)])) as T;
}

function parsed(text: string, changes: (source: string, value: number) => boolean): unknown {
  return JSON.parse(text, (_key, leaf: unknown, ...[context]: { source?: string }[]) =>
    typeof leaf === 'number' && context?.source !== undefined && changes(context.source, leaf)
      ? json.rawJSON(context.source)
      : leaf,
  );
}

/** Whether a double's value differs from that of its source text. */
function losesValue(source: string, value: number): boolean {
  if (source.length < SHORT && !/[eE]/.test(source)) return false;
  const written = String(value);
  return source !== written && (!Number.isFinite(value) || decimal(source) !== decimal(written));
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** A canonical form of a number: its digits without leading and trailing zeros, and the power of ten of its last digit. */
function decimal(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = whole + fraction;
  let [from, to] = [0, digits.length];
  while (from < to && digits[from] === '0') from += 1;
  while (to > from && digits[to - 1] === '0') to -= 1;
  if (from === to) return '0';
  return `${sign}${digits.slice(from, to)}e${Number(exponent) - fraction.length + digits.length - to}`;
}
