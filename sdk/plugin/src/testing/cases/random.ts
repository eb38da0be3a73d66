/** Reproducible pseudo-random numbers in [0, 1) (mulberry32), so that a case that fails once fails again. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Cuts a text into pieces of 1 to `longest` code units, or one more if needed: a piece must be well-formed, like all text for guards. */
export function pieces(text: string, longest: number, next: () => number): string[] {
  const cut: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + Math.floor(next() * longest);
    const piece = text.slice(at, end).isWellFormed() ? text.slice(at, end) : text.slice(at, end + 1);
    cut.push(piece);
    at += piece.length;
  }
  return cut;
}
