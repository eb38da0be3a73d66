/** Code units of a stream that are searched at once. */
const SLICE = 2048;

/** A text in pieces that are searched one at a time, none of which ends within a surrogate pair. */
export function* slices(text: string, size = SLICE): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = at + size + ((text.codePointAt(at + size - 1) ?? 0) > 0xffff ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}
