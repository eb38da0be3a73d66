import { generateKeyPairSync } from 'node:crypto';
import type { DumpItem, NewOperation, StoreTotals } from '@svc/contracts';
import { signingKey } from '@svc/ledger';
import { beforeAll, describe, expect, it } from 'vitest';
import { SharedStore } from '../../gateway/test-store.ts';
import { ENV, handClock } from '../../test-parts.ts';
import { OperationsLog } from '../operations-log/operations-log.ts';
import { CONTENT_KEYS } from '../operations-log/test-keys.ts';
import { TreeKeeper } from '../tree/keeper.ts';
import { StoreCheck } from './store-check.ts';

/** More records than one tile of the tree holds. */
const RECORDS = 300;
const silent = (): void => undefined;
const KEY = 'operations/record/';
const keyOf = (seq: number): string => KEY + String(seq).padStart(12, '0');

/** The values of an operations log in a store. No checkpoint covers the log's last two records. */
let kept: ReadonlyMap<string, string>;
beforeAll(async () => {
  const store = new SharedStore();
  const log = new OperationsLog({ store, clock: handClock(), content_keys: CONTENT_KEYS, logger: ENV.logger, apply: [] });
  const operation = (n: number): NewOperation => ({
    action: 'state.changed',
    actor: { principal_id: 'ada', issuer: null, subject: null },
    target: { kind: 'route', name: `route-${n}` },
    before: null,
    after: null,
    reason: 'tried',
    change: { n },
  });
  const { privateKey } = generateKeyPairSync('ed25519');
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const signers = [{ name: 'example.org', key: signingKey(privateKey) }];
  const tree = new TreeKeeper({
    store: log.records,
    logger,
    origin: 'example.org/operations',
    signers,
    checkpointPin: null,
  });
  for (let n = 1; n <= RECORDS; n += 1) {
    await log.append(() => operation(n));
    if (n === RECORDS - 2) await tree.checkpoint();
  }
  kept = store.meta;
});

async function faultIn(meta: ReadonlyMap<string, string>, exported = 0) {
  const check = await StoreCheck.begin({ readMeta: async (key) => meta.get(key) ?? null });
  async function* dump(tell?: (kept: StoreTotals) => void): AsyncGenerator<DumpItem> {
    tell?.({ head: null, runs: { pending: 0, running: 0, paused: 0, completed: 0, blocked: 0, denied: 0, error: 0 } });
    yield { kind: 'cursor', name: 'operations/siem', seq: exported };
    for (const [key, value] of [...meta].sort(([a], [b]) => (a < b ? -1 : 1))) yield { kind: 'meta', key, value };
  }
  for await (const _ of check.items({ dump }));
  return { fault: check.end(), records: check.operations.report()?.records ?? null };
}

/** The same values, with a change. */
function changed(change: (meta: Map<string, string>) => void): Map<string, string> {
  const meta = new Map(kept);
  change(meta);
  return meta;
}
const at = (meta: Map<string, string>, seq: number): string => meta.get(keyOf(seq)) ?? '';
const without = (...seqs: number[]) => changed((meta) => void seqs.map((seq) => meta.delete(keyOf(seq))));

describe('the operations log of a store', () => {
  it('is valid as it was written, whatever was exported', async () => {
    expect(await faultIn(kept, RECORDS)).toEqual({ fault: null, records: RECORDS });
  });

  it('may be missing', async () => {
    expect(await faultIn(new Map())).toEqual({ fault: null, records: null });
  });

  it.each<[string, () => ReadonlyMap<string, string>, object]>([
    [
      'a record that was changed',
      () => changed((m) => m.set(keyOf(9), at(m, 9).replace('"tried"', '"meant"'))),
      { why: 'wrong_hash', seq: 9 },
    ],
    ['a record that is missing', () => without(20), { why: 'wrong_seq', seq: 20 }],
    [
      'two that changed places',
      () => changed((m) => void [m.set(keyOf(5), at(kept as never, 6)), m.set(keyOf(6), at(kept as never, 5))]),
      { why: 'wrong_seq', seq: 5 },
    ],
    ['records that were cut off', () => without(RECORDS - 2, RECORDS - 1, RECORDS), { why: 'cut_off', seq: RECORDS - 2 }],
    [
      'a record that nobody finds',
      () => changed((m) => void [m.set(keyOf(RECORDS + 5), at(m, RECORDS)), m.delete(keyOf(RECORDS))]),
      { why: 'misfiled', seq: RECORDS },
    ],
    [
      'another tree',
      () => changed((m) => void m.set('operations/tree/tile/0/0', 'AAAA')),
      { why: 'other_tree', key: 'operations/tree/tile/0/0' },
    ],
    [
      'a record of the ledger',
      () => changed((m) => m.set(keyOf(1), `${at(m, 1).slice(0, 45)}{"record_type":"model_inventory"}`)),
      { why: 'wrong_seq', seq: 1 },
    ],
  ])('is broken with %s', async (_, meta, fault) => {
    expect((await faultIn(meta())).fault).toMatchObject({ ...fault, log: 'operations' });
  });

  it("is broken if it ends before an exporter's position", async () => {
    expect((await faultIn(without(RECORDS), RECORDS)).fault).toEqual({
      log: 'operations',
      why: 'cut_off',
      seq: RECORDS,
      through: RECORDS,
    });
  });
});
