import { expect, it } from 'vitest';
import { NotSigned } from '../records/tree/checked-key.ts';
import type { TreeKeeper } from '../records/tree/keeper.ts';
import { Proofs } from './proofs.ts';

it('do not say to callers why a key did not sign, because the reason may come from a plugin', async () => {
  const failing = () => Promise.reject(new NotSigned('SomeVendorError'));
  const tree = { checkpoint: failing, inclusion: failing, signed: failing } as unknown as TreeKeeper;
  const proofs = new Proofs({ tree, witnessing: null, timestamping: null });
  const message = 'SVC-STORE-001: the ledger cannot be signed now; try again later';
  for (const ask of [() => proofs.checkpoint(), () => proofs.inclusion(1), () => proofs.signed('text')])
    await expect(ask()).rejects.toMatchObject({ message });
});
