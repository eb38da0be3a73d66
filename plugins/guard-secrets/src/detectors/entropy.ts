/** Shannon entropy in bits per character: 0 for `aaaa`, 3 for eight different ones. */
export function entropy(text: string): number {
  const ascii = new Uint32Array(0x80);
  const others = new Map<string, number>();
  let length = 0;
  for (let at = 0; at < text.length; at++, length++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) {
      ascii[code] = (ascii[code] ?? 0) + 1;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? code);
    others.set(character, (others.get(character) ?? 0) + 1);
    at += character.length - 1;
  }
  const bitsOf = (bits: number, count: number): number =>
    count === 0 ? bits : bits - (count / length) * Math.log2(count / length);
  return [...others.values()].reduce(bitsOf, ascii.reduce(bitsOf, 0));
}

/** Confidence for a value that is recognised only by its form. 0 for placeholders (`xxxx…`, `YOUR_KEY`, `1234…`). */
export function unlessPlaceholder(value: string): number {
  return entropy(value) >= 3 && !/(?:x{4}|0{6}|your|example_|placeholder|\.\.\.)/i.test(value) ? 0.9 : 0;
}

/**
 * Whether a value looks like the output of a random generator and not like words or a number: it has letters and digits, and changes between them, or
 * between small and capital letters, more often than names do.
 */
export function looksRandom(value: string): boolean {
  const digits = value.replace(/[^0-9]/g, '').length;
  if (digits < 2 || digits === value.length || entropy(value) < 2.8) return false;
  const changes = value.match(/[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])|[a-z](?=[A-Z][A-Z0-9a-z])/g)?.length ?? 0;
  return changes >= Math.max(2, value.length / 12);
}
