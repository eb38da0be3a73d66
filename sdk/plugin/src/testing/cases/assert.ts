import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';
import { VERDICTS } from '@svc/contracts';

/*
 * The assertions of the conformance suites. Every message gives the expected and the actual value, in words or shortened. The suites of guards,
 * finders and providers use `same` and `matches`, which show no text, because samples may be secrets.
 */

const SHOWN = 200;

export function failed(expected: string, came: string, what?: string, cause?: unknown): AssertionError {
  const error = new AssertionError({
    actual: came,
    expected,
    message: `${what === undefined ? '' : `${what}: `}expected ${expected}, got ${came}`,
  });
  if (cause !== undefined) error.cause = cause;
  return error;
}

/** @param came the actual value; must not contain text that was passed to the plugin */
export function ok(holds: unknown, expected: string, came: unknown): asserts holds {
  if (!holds) throw failed(expected, typeof came === 'string' ? came : shown(came));
}

/** Neither null nor undefined. */
export function present<T>(value: T, expected: string): asserts value is NonNullable<T> {
  if (value === null || value === undefined) throw failed(expected, String(value));
}

export function greater(value: number, than: number, what?: string): void {
  if (!(value > than)) throw failed(`more than ${than}`, String(value), what);
}

export function atLeast(value: number, least: number, what?: string): void {
  if (!(value >= least)) throw failed(`at least ${least}`, String(value), what);
}

export function equal<T>(actual: unknown, expected: T, what?: string): asserts actual is T {
  if (!Object.is(actual, expected)) throw differing(actual, expected, shown, what);
}

export function deepEqual<T>(actual: unknown, expected: T, what?: string): asserts actual is T {
  if (!isDeepStrictEqual(actual, expected)) throw differing(actual, expected, shown, what);
}

/** Like `deepEqual`, but its message contains no text. */
export function same<T>(actual: unknown, expected: T, what?: string): asserts actual is T {
  if (!isDeepStrictEqual(actual, expected)) throw differing(actual, expected, withoutTexts, what);
}

export function matches(text: string, pattern: RegExp, expected: string): void {
  if (typeof text !== 'string' || !pattern.test(text)) throw failed(expected, withoutTexts(text));
}

/** @param as the fields that the error must have, or a predicate */
export async function rejects(
  work: Promise<unknown>,
  as: Readonly<Record<string, unknown>> | ((error: unknown) => boolean) = {},
  what?: string,
): Promise<void> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  const expected = typeof as === 'function' ? 'a different rejection' : `a rejection ${shown(as)}`;
  if ('value' in outcome) throw failed(typeof as === 'function' ? 'a rejection' : expected, 'none', what);
  const { error } = outcome;
  const fits =
    typeof as === 'function'
      ? as(error)
      : Object.entries(as).every(([key, value]) => error instanceof Object && Reflect.get(error, key) === value);
  if (!fits) throw failed(expected, nameOf(error), what, error);
}

/** The kind of an error. The error's message may contain text that the plugin received. */
export function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const code: unknown = Reflect.get(error, 'code');
  return `the error ${error.name}${typeof code === 'string' && /^\w{1,64}$/.test(code) ? ` (${code})` : ''}`;
}

type Show = (value: unknown, key?: string) => string;

function differing(actual: unknown, expected: unknown, show: Show, what?: string): AssertionError {
  const { path, a, b } = difference(actual, expected, []);
  const key = path.at(-1);
  const place = path.length === 0 ? '' : ` at ${path.join('.')}`;
  const from = typeof a === 'string' && typeof b === 'string' ? `, which differs from character ${firstDifference(a, b)} on` : '';
  return failed(`${show(b, key)}${place}`, `${show(a, key)}${from}`, what);
}

/** The first difference between two values. */
function difference(a: unknown, b: unknown, path: readonly string[]): { path: readonly string[]; a: unknown; b: unknown } {
  if (isPlain(a) && isPlain(b) && Array.isArray(a) === Array.isArray(b)) {
    for (const key of new Set([...Object.keys(b), ...Object.keys(a)])) {
      const [x, y]: unknown[] = [Reflect.get(a, key), Reflect.get(b, key)];
      if (!isDeepStrictEqual(x, y)) return difference(x, y, [...path, key]);
    }
  }
  return { path, a, b };
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value) || [Object.prototype, null].includes(Object.getPrototypeOf(value));
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

function shown(value: unknown): string {
  const text = inspect(value, { depth: 4, maxArrayLength: 10, maxStringLength: 80, breakLength: Number.POSITIVE_INFINITY });
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN).toWellFormed()}…`;
}

function withoutTexts(value: unknown, key = ''): string {
  if (typeof value === 'string') return isVerdict(value, key) ? `'${value}'` : `a text of ${value.length} characters`;
  if (typeof value !== 'object' || value === null) return String(value);
  const json = JSON.stringify(value, (name, part: unknown) => {
    return typeof part === 'string' && !isVerdict(part, name) ? `text of ${part.length} characters` : part;
  });
  return json === undefined ? 'a value that is not JSON' : shown(JSON.parse(json));
}

/** Whether it is a verdict. Verdicts may be shown, because they are the only strings from a closed set. */
function isVerdict(text: string, key: string): boolean {
  return key === 'verdict' && VERDICTS.some((verdict) => verdict === text);
}
