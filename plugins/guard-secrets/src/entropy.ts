/** Shannon entropy of a text's characters, in bits per character: 0 for `aaaa`, 3 for eight different ones. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const length = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...counts.values()].reduce((bits, count) => bits - (count / length) * Math.log2(count / length), 0);
}

/** Sureness of what has a secret's shape and no more: what people write in its place (`xxxx…`, `YOUR_KEY`, `1234…`) is none. */
export function unlessPlaceholder(value: string): number {
  return entropy(value) >= 3 && !/(?:x{4}|0{6}|your|example_|placeholder|\.\.\.)/i.test(value) ? 0.9 : 0;
}
