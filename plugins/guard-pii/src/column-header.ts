/** What parts the columns of a table, or of a file of values. */
const DELIMITERS = ['|', '\t', ';', ','];
/** The line under the header of a table in Markdown. */
const RULE = /^[\s|:-]*$/;

/** The cell above a value, where a table's first line stands right above the value's own; empty if there is none. Looks back to `least`. */
export function columnHeader(text: string, start: number, least: number): string {
  const lines = text.slice(least, start).split('\n');
  const own = lines.pop() ?? '';
  const delimiter = DELIMITERS.find((sign) => own.includes(sign));
  if (delimiter === undefined) return '';
  const above = lines.findLast((line) => !RULE.test(line)) ?? '';
  return above.split(delimiter)[own.split(delimiter).length - 1] ?? '';
}
