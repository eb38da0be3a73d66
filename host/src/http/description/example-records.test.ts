import { canonicalJson, sha256 } from '@svc/ledger';
import { expect, it } from 'vitest';
import { EVIDENCE, INVENTORY, OPERATION } from './example-records.ts';

it.each([INVENTORY, EVIDENCE, OPERATION])('the example of a $record_type has the right hash', ({ hash, ...record }) => {
  expect(hash).toBe(sha256(canonicalJson(record)));
});

it('the two records of the ledger form a chain', () => {
  expect(EVIDENCE.prev_hash).toBe(INVENTORY.hash);
});
