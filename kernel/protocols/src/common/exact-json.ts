/** JSON.rawJSON and the reviver's source text (ES2026), which TypeScript's es2024 library does not declare. */
const json = JSON as typeof JSON & {
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
};

/**
 * A fraction, an exponent, a negative zero, or more digits than a double has. Without these nothing can be lost, and plain JSON.parse is
 * faster.
 */
const MAY_LOSE_DIGITS = /\d[.eE]|-0|\d{16}/;

/**
 * Parses JSON so that `JSON.stringify` writes its numbers with their original digits. A tool's arguments are text in OpenAI's format and a
 * value in Anthropic's: an account number must survive the conversion.
 * @throws {SyntaxError}
 */
export function parseExact(text: string): unknown {
  if (!MAY_LOSE_DIGITS.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, leaf: unknown, ...[context]: { source?: string }[]) =>
    typeof leaf === 'number' && context?.source !== undefined && context.source !== String(leaf)
      ? json.rawJSON(context.source)
      : leaf,
  );
}

/** The digits of a number that {@link parseExact} kept as they were; null: it is none. */
export function exactDigits(value: unknown): string | null {
  return json.isRawJSON(value) ? value.rawJSON : null;
}
