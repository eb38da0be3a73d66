import type { Store } from '@svc/contracts';
import type { CheckpointPin } from '../tree/checkpoint-pin.ts';
import { hasLedgerId } from './ledger-id.ts';
import type { OwnKey } from './signing-keys.ts';

/**
 * Refuses to start a new ledger if the key or checkpoint of an earlier one exists beside it: then the runs-db was removed or replaced. A key from the
 * configuration proves nothing, because it exists before the first start.
 * @throws {Error} with the remedy
 */
export async function refuseLostLedger(
  store: Pick<Store, 'head' | 'readMeta'>,
  { own, checkpointPin }: { readonly own: OwnKey | null; readonly checkpointPin: CheckpointPin | null },
): Promise<void> {
  // The files are read first: if another process starts this ledger now, it creates them after the ledger's id.
  const left: string[] = [];
  if (own !== null && (await own.read()) !== null) left.push(own.file);
  const pins = checkpointPin === null ? [] : [checkpointPin, checkpointPin.ofOperations()];
  for (const pin of pins) if (await pin.exists()) left.push(pin.path);
  if (left.length === 0 || (await hasLedgerId(store)) || (await store.head()) !== null) return;
  const files = left.join(' and ');
  const remedy = `restore its newest backup. To start a new ledger instead, move ${files} away and keep the reason for auditors`;
  throw new Error(`the runs-db has no ledger, but files of one exist (${files}): ${remedy}`);
}
