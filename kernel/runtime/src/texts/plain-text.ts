const [QUOTE, BACKSLASH, LOWER_U, DELETE] = [0x22, 0x5c, 0x75, 0x7f] as const;

/** Decodes the `\\uXXXX` escapes in broken JSON, so that a guard sees what the reader would see. */
export function plainText(torn: string): string {
  if (!torn.includes('\\u')) return torn;
  const units = new Uint16Array(torn.length);
  let length = 0;
  for (let at = 0; at < torn.length; at += 1) {
    const unit = torn.charCodeAt(at);
    units[length++] = unit;
    if (unit !== BACKSLASH) continue;
    const next = torn.charCodeAt(at + 1);
    if (next === BACKSLASH) {
      units[length++] = next;
      at += 1;
    } else if (next === LOWER_U) {
      const escaped = hexAt(torn, at + 2);
      if (!isPlain(escaped)) continue;
      units[length - 1] = escaped;
      at += 5;
    }
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
}

/** The value of four hexadecimal digits. NaN if there are none. */
function hexAt(text: string, from: number): number {
  let value = 0;
  for (let at = from; at < from + 4; at += 1) value = value * 16 + digitOf(text.charCodeAt(at));
  return value;
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

/** False for control characters, surrogates, and characters that have a meaning in JSON. */
function isPlain(unit: number): boolean {
  if (Number.isNaN(unit) || unit < 0x20 || (unit >= DELETE && unit < 0xa0)) return false;
  return unit !== QUOTE && unit !== BACKSLASH && (unit < 0xd800 || unit > 0xdfff);
}
