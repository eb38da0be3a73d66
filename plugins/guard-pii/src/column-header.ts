/** Separators of the columns in tables and CSV files. */
const DELIMITERS = ['|', '\t', ';', ','];
/** The line below the header of a Markdown table. */
const RULE = /^[\s|:-]*$/;

/** The header cell of the value's column, from a line above. Empty if there is none. The search goes back to `least`. */
export function columnHeader(text: string, start: number, least: number): string {
  const lines = text.slice(least, start).split('\n');
  const own = lines.pop() ?? '';
  const delimiter = DELIMITERS.find((sign) => own.includes(sign));
  if (delimiter === undefined) return '';
  const above = lines.findLast((line) => !RULE.test(line)) ?? '';
  return above.split(delimiter)[own.split(delimiter).length - 1] ?? '';
}
