const encoder = new TextEncoder();
const BEFORE = encoder.encode('{"records":[');
const AFTER = encoder.encode(']}');
const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE] = [0x22, 0x5c, 0x2c, 0x7b, 0x7d];

/** The records of a page of a log as exact bytes, which parsing would not preserve. Null: the text is not a page. */
export function recordsIn(page: Uint8Array): Uint8Array[] | null {
  const end = page.length - AFTER.length;
  if (end < BEFORE.length || !hasAt(page, 0, BEFORE) || !hasAt(page, end, AFTER)) return null;
  const records: Uint8Array[] = [];
  let begin = BEFORE.length;
  let level = 0;
  for (let at = begin; at < end; at++) {
    const byte = page[at];
    if (byte === QUOTE) at = endOfText(page, at);
    else if (byte === OPEN) level += 1;
    else if (byte === CLOSE) level -= 1;
    else if (byte === COMMA && level === 0) {
      records.push(page.subarray(begin, at));
      begin = at + 1;
    }
  }
  if (begin < end) records.push(page.subarray(begin, end));
  return records;
}

function hasAt(page: Uint8Array, at: number, part: Uint8Array): boolean {
  return part.every((byte, i) => page[at + i] === byte);
}

/** Offset of the quote that closes a string. */
function endOfText(page: Uint8Array, quote: number): number {
  let at = quote + 1;
  while (at < page.length && page[at] !== QUOTE) at += page[at] === BACKSLASH ? 2 : 1;
  return at;
}
