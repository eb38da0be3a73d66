import type { Turns } from '@svc/contracts';

/** Code units of a stream that are searched at once. */
const SLICE = 2048;

/** A text in slices that are searched one at a time. No slice ends inside a surrogate pair. */
export function* slices(text: string, size = SLICE): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = at + size + ((text.codePointAt(at + size - 1) ?? 0) > 0xffff ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}

/** Processes a piece of a stream slice by slice, one call at a time. Returns no promise for a single slice with a synchronous result. */
export function inSlices(
  text: string,
  turns: () => Turns,
  take: (slice: string) => string | Promise<string>,
): string | Promise<string> {
  return text.length <= SLICE ? take(text) : takeSlices(text, turns(), take);
}

async function takeSlices(text: string, turns: Turns, take: (slice: string) => string | Promise<string>): Promise<string> {
  let taken = '';
  for (const slice of slices(text)) {
    taken += await take(slice);
    if (turns.isOver) await turns.next();
  }
  return taken;
}
