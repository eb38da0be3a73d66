const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const COMMA = 0x2c;

const HEAD = '{"records":[';

/**
 * The records of a ledger page, each as the very text that was served: hashes are of bytes, and what JSON is parsed and written again
 * need not be the same.
 * @throws where the bytes are no page of the ledger, or no UTF-8
 */
export function splitRecords(bytes: Uint8Array): string[] {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  if (decoder.decode(bytes.subarray(0, HEAD.length)) !== HEAD) throw new Error('The response is not a ledger page.');
  const records: string[] = [];
  let depth = 0;
  let begin = HEAD.length;
  for (let at = begin; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (OPEN.has(byte)) depth += 1;
    else if (CLOSE.has(byte)) {
      depth -= 1;
      if (depth === 0) records.push(decoder.decode(bytes.subarray(begin, at + 1)));
      if (depth < 0) return records;
    } else if (byte === COMMA && depth === 0) begin = at + 1;
  }
  throw new Error('The ledger page is truncated.');
}

function endOfString(bytes: Uint8Array, begin: number): number {
  for (let at = begin + 1; at < bytes.length; at++) {
    if (bytes[at] === BACKSLASH) at += 1;
    else if (bytes[at] === QUOTE) return at;
  }
  return bytes.length;
}
