import { Refusal } from './refusal.ts';

const BEFORE = Buffer.from('{"records":[');
const AFTER = Buffer.from(']}');
const [QUOTE, BACKSLASH, COMMA, OPEN, CLOSE] = [0x22, 0x5c, 0x2c, 0x7b, 0x7d];

/** The records of a running server, page by page. */
export async function* pagesOf(url: string, key: string | undefined): AsyncGenerator<readonly Buffer[]> {
  const first = new URL('/v1/audit/ledger', url);
  for (let next: URL | null = first; next !== null; ) {
    const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const response: Response = await fetch(next, { headers }).catch(() => {
      throw new Refusal(`${url} cannot be reached: is the server running?`);
    });
    if (!response.ok)
      throw new Refusal(`${url} answered ${response.status}; the key comes from SVC_KEY and needs the role audit`);
    const records = recordsIn(Buffer.from(await response.arrayBuffer()));
    if (records === null) throw new Refusal(`${url} answered with something else than a page of a ledger`);
    yield records;
    const link = /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    next = link === undefined ? null : new URL(link, next);
    if (next !== null && next.origin !== first.origin) throw new Refusal(`${url} sends to another server for its next page`);
  }
}

/** The records of a page, as they were sent: parsing them would hide how they were written. Null: it is no page. */
export function recordsIn(page: Buffer): Buffer[] | null {
  const end = page.length - AFTER.length;
  if (end < BEFORE.length || !page.subarray(0, BEFORE.length).equals(BEFORE) || !page.subarray(end).equals(AFTER)) return null;
  const records: Buffer[] = [];
  let begin = BEFORE.length;
  let level = 0;
  for (let at = begin; at < end; at++) {
    const byte = page[at];
    if (byte === QUOTE) at = endOfText(page, at);
    else if (byte === OPEN) level += 1;
    else if (byte === CLOSE) level -= 1;
    else if (byte === COMMA && level === 0) {
      records.push(page.subarray(begin, at));
      begin = at + 1;
    }
  }
  if (begin < end) records.push(page.subarray(begin, end));
  return records;
}

/** Where the closing quote is. */
function endOfText(page: Buffer, quote: number): number {
  let at = quote + 1;
  while (at < page.length && page[at] !== QUOTE) at += page[at] === BACKSLASH ? 2 : 1;
  return at;
}
