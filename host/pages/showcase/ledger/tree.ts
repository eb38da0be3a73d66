import { sha256 } from './record.ts';

const encoder = new TextEncoder();
/** Digests that are under way at once. */
const AT_ONCE = 2000;

/**
 * Root of the RFC 6962 tree over record hashes (`sha256:…`), base64. A level is made of pairs from the one below; a last one without a
 * partner moves up as it is.
 */
export async function rootOf(hashes: readonly string[]): Promise<string> {
  let level = await inParts(hashes, (hash) => sha256(joined(Uint8Array.of(0), encoder.encode(hash))));
  if (level.length === 0) level = [await sha256(new Uint8Array())];
  while (level.length > 1) {
    const pairs = Array.from({ length: Math.ceil(level.length / 2) }, (_, i) => level.slice(2 * i, 2 * i + 2));
    level = await inParts(pairs, async ([left, right]) => {
      if (left === undefined) throw new Error('an empty pair');
      return right === undefined ? left : sha256(joined(Uint8Array.of(1), left, right));
    });
  }
  return btoa(String.fromCharCode(...(level[0] ?? [])));
}

async function inParts<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) done.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  return done;
}

function joined(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** What a checkpoint (https://c2sp.org/tlog-checkpoint) says of the ledger; its signatures are not looked at. */
export interface Head {
  readonly origin: string;
  readonly size: number;
  /** Base64. */
  readonly root: string;
}

/** @throws where the note is no checkpoint */
export function headOf(note: string): Head {
  const [origin, size, root] = note.split('\n');
  if (!origin || !/^\d{1,15}$/.test(size ?? '') || !root) throw new Error('The gateway did not return a checkpoint.');
  return { origin, size: Number(size), root };
}
