/**
 * Parses JSON so that `JSON.stringify` writes its numbers with their original digits. A tool's arguments are text in OpenAI's format and a
 * value in Anthropic's: an account number must survive the conversion.
 * @throws {SyntaxError}
 */
export declare function parseExact(text: string): unknown;
//# sourceMappingURL=exact-json.d.ts.map