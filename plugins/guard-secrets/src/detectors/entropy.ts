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

/** Matches placeholders: `xxxx…`, `YOUR_KEY`, `000000…`. */
const PLACEHOLDER = /(?:x{4}|0{6}|your|example|placeholder|\.\.\.)/i;

/** Confidence for a value that is recognised only by its form. 0 for placeholders, and for few different characters. */
export function unlessPlaceholder(value: string): number {
  return entropy(value) >= 3 ? unlessExample(value) : 0;
}

/** As {@link unlessPlaceholder}, for a value with a beginning that nothing else has. */
export function unlessExample(value: string): number {
  return PLACEHOLDER.test(value) ? 0 : 0.9;
}

/**
 * Whether a value looks like the output of a random generator and not like words or a number. Between letters and digits, or small and capital letters,
 * it changes more often than names do.
 */
export function looksRandom(value: string): boolean {
  const digits = value.replace(/[^0-9]/g, '').length;
  if (digits === value.length || entropy(value) < 2.8) return false;
  const changes = value.match(/[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])|[a-z](?=[A-Z])/g)?.length ?? 0;
  if (digits < 2) return changes >= value.length / 4;
  const isOfBothCases = /[a-z]/.test(value) && /[A-Z]/.test(value);
  return changes >= Math.max(2, value.length / (isOfBothCases ? 5 : 12));
}
