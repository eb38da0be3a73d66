import { turnOfStream } from '@svc/contracts';

/** How many lines of a stream are parsed in one step: a millisecond for the smallest events. A long line is not split. */
const LINES_AT_ONCE = 64;

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d] as const;

/** The beginning of the received bytes, up to the amount that is parsed in one step. It shares the memory of `bytes`. */
export function firstPiece(bytes: Uint8Array): Uint8Array {
  let lines = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue;
    lines += 1;
    if (lines === LINES_AT_ONCE) return bytes.subarray(0, at + 1);
  }
  return bytes;
}

/** The same bytes in pieces, with a turn for other work between them. */
export async function* inStreamPieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  for await (const bytes of body) {
    for (let rest = bytes; rest.length > 0; ) {
      const piece = firstPiece(rest);
      rest = rest.subarray(piece.length);
      await turnOfStream();
      yield piece;
    }
  }
}
