import type { Store } from '@svc/contracts';
import { openNote, parseCheckpoint } from '@svc/ledger';

/** The signed text of a note. */
export function textOf(note: string): string {
  return openNote(note, []).text;
}

/** The size of a checkpoint. -1: there is none. */
export function sizeOf(note: string | null): number {
  return note === null ? -1 : parseCheckpoint(textOf(note)).size;
}

/** Whether the checkpoint is of the log with this origin. The origin may change between starts. */
export function isOf(origin: string, note: string): boolean {
  return parseCheckpoint(textOf(note)).origin === origin;
}

/** Changes a small value of the store, whatever other processes write meanwhile. Values that are JSON are parsed by `change`. */
export async function changeMeta<T>(
  store: Pick<Store, 'readMeta' | 'writeMeta'>,
  key: string,
  change: (before: string | null) => T,
): Promise<T> {
  for (;;) {
    const before = await store.readMeta(key);
    const next = change(before);
    const text = JSON.stringify(next);
    if (text === before || (await store.writeMeta(key, before, text))) return next;
  }
}
