/** JSON.rawJSON and the reviver's source text (ES2026), which TypeScript's es2024 library does not declare. */
const json = JSON as typeof JSON & { rawJSON(text: string): unknown };

/**
 * Parses JSON so that `JSON.stringify` writes its numbers with the digits they had: a tool's arguments are text in OpenAI's format and
 * a value in Anthropic's, and an account number must survive the way between them.
 * @throws {SyntaxError}
 */
export function parseExact(text: string): unknown {
  return JSON.parse(text, (_key, leaf: unknown, ...[context]: { source?: string }[]) =>
    typeof leaf === 'number' && context?.source !== undefined && context.source !== String(leaf)
      ? json.rawJSON(context.source)
      : leaf,
  );
}
