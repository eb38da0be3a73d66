/**
 * Decodes the part of MessagePack that word lists consist of: arrays, maps, strings and integers.
 * @throws {Error} for other types
 */
export function unpacked(bytes: Buffer): unknown {
  let at = 0;
  const unsigned = (length: number): number => {
    at += length;
    return bytes.readUIntBE(at - length, length);
  };
  const text = (length: number): string => {
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const list = (length: number): unknown[] => Array.from({ length }, next);
  const map = (length: number): unknown => Object.fromEntries(Array.from({ length }, () => [next(), next()]));
  function next(): unknown {
    const type = unsigned(1);
    if (type < 0x80) return type;
    if (type < 0x90) return map(type & 15);
    if (type < 0xa0) return list(type & 15);
    if (type < 0xc0) return text(type & 31);
    if (type >= 0xcc && type <= 0xce) return unsigned(1 << (type - 0xcc));
    if (type >= 0xd9 && type <= 0xdb) return text(unsigned(1 << (type - 0xd9)));
    if (type === 0xdc || type === 0xdd) return list(unsigned(type === 0xdc ? 2 : 4));
    throw new Error(`MessagePack type ${type} at ${at - 1}`);
  }
  return next();
}
