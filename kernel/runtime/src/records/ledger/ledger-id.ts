import { randomUUID } from 'node:crypto';
import type { Store } from '@svc/contracts';

const KEY = 'ledger/id';

/** Identifies this ledger. Created at its first start. */
export async function ledgerId(store: Pick<Store, 'readMeta' | 'writeMeta'>): Promise<string> {
  for (;;) {
    const known = await store.readMeta(KEY);
    if (known !== null) return known;
    await store.writeMeta(KEY, null, `svc-ledger-${randomUUID()}`);
  }
}

/** Whether a gateway has started this ledger. */
export async function hasLedgerId(store: Pick<Store, 'readMeta'>): Promise<boolean> {
  return (await store.readMeta(KEY)) !== null;
}
