/**
 * The lines of a text that arrives in pieces, without line ends. Only `
 * ` and `\r
 * ` end a line: JSON may contain U+2028, which Node's readline treats as a line end.
 */
export async function* linesFrom(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let begun: string[] = [];
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split('\n');
    begun.push(first);
    for (const other of others) {
      yield withoutReturn(begun.join(''));
      begun = [other];
    }
  }
  const last = begun.join('');
  if (last !== '') yield withoutReturn(last);
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}
