const MIN_LETTERS = 0.7;

/** The readable parts of a text after decoding. */
export function decoded(text: string): string[] {
  const found: string[] = [];
  const take = (bytes: Buffer | string): void => {
    const plain = bytes.toString();
    if (plain.length >= 8 && isReadable(plain)) found.push(plain);
  };
  for (const form of [text, withoutBreaks(text)]) {
    for (const [run] of form.matchAll(/[A-Za-z0-9+/_-]{16,}={0,2}/g)) take(Buffer.from(run, 'base64'));
    for (const [run] of form.matchAll(/[A-Z2-7]{16,}/gi)) take(base32(run));
  }
  for (const [run] of text.matchAll(/(?<![0-9A-Za-z])(?:(?:0x[0-9a-f]{2}|\\x[0-9a-f]{2}|[0-9a-f]{2})[ ,:]?){10,}/gi))
    take(Buffer.from(run.replace(/0x|\\x|[ ,:]/gi, ''), 'hex'));
  for (const [run] of text.matchAll(/(?<![01])(?:[01]{8}[ ,]?){6,}/g)) {
    take(Buffer.from((run.match(/[01]{8}/g) ?? []).map((bits) => Number.parseInt(bits, 2))));
  }
  for (const [run] of text.matchAll(/(?<!\d)\d{2,3}(?:[^0-9A-Za-z]{1,3}\d{2,3}(?!\d)){7,}/g)) {
    for (const base of [10, 8] as const) take(Buffer.from(codes(run, base)));
  }
  const written = text
    .replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
    .replace(/(?:=[0-9a-f]{2}(?:=\r?\n)?)+/gi, (run) => Buffer.from(run.replace(/=\r?\n|=/g, ''), 'hex').toString())
    .replace(/\\u\{?([0-9a-f]{4})\}?|\\x([0-9a-f]{2})/gi, (_, four?: string, two?: string) => character(four ?? two ?? '', 16))
    .replace(/&#(?:x([0-9a-f]{1,5})|(\d{1,6}));?/gi, (_, hex?: string, decimal?: string) =>
      hex === undefined ? character(decimal ?? '', 10) : character(hex, 16),
    );
  if (written !== text) found.push(written);
  return found;
}

/** What may be base64 or base32 broken into lines or groups, with the parts put together. */
function withoutBreaks(text: string): string {
  const runs = [
    ...text.matchAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{4,200}(?:[ \t]{0,4}\r?\n[> \t]{0,4}[A-Za-z0-9+/_-]{4,200}){1,2000}/g),
    ...text.matchAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{8,200}(?: [A-Za-z0-9+/_-]{8,200}){1,2000}/g),
  ];
  return runs.map(([run]) => run.replace(/[^A-Za-z0-9+/_-]/g, '')).join(' ');
}

/** The characters with these codes; none if one is no printable ASCII character. */
function codes(run: string, base: 8 | 10): number[] {
  const all = (run.match(/\d{2,3}/g) ?? []).map((code) => Number.parseInt(code, base));
  return all.every((code) => code === 10 || (code >= 0x20 && code < 0x7f)) ? all : [];
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function base32(run: string): Buffer {
  const bytes: number[] = [];
  let [bits, count] = [0, 0];
  for (const sign of run.toUpperCase()) {
    bits = ((bits << 5) | BASE32.indexOf(sign)) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  return Buffer.from(bytes);
}

/** Letters rotated by thirteen. */
export function rot13(text: string): string {
  const units = Buffer.from(text, 'utf16le');
  for (let at = 0; at < units.length; at += 2) {
    const letter = units.readUInt16LE(at);
    const small = letter | 0x20;
    if (letter < 0x80 && small >= A && small <= Z) units.writeUInt16LE(letter + (small <= M ? 13 : -13), at);
  }
  return units.toString('utf16le');
}

const [A, M, Z] = [0x61, 0x6d, 0x7a];

function character(digits: string, base: number): string {
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : '';
}

/** Text rather than bytes: nearly all letters, digits, spaces and signs, and no invalid character. */
function isReadable(text: string): boolean {
  if (text.includes('\ufffd')) return false;
  const readable = text.match(/[\p{L}\p{N}\p{P}\s=+]/gu)?.length ?? 0;
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0;
  return readable >= [...text].length * 0.95 && letters >= text.length * MIN_LETTERS;
}
