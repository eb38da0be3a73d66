import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { LedgerQuery, Logger, SigningKey, StoredRecord } from '@svc/contracts';
import {
  base64Of,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  placeRecord,
  prepareRecord,
  provesConsistency,
  type Signer,
  signingKey,
  verifierKey,
  verifyProof,
} from '@svc/ledger';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkedKey, NotSigned } from './checked-key.ts';
import { CheckpointPin } from './checkpoint-pin.ts';
import { AlteredLedger, TreeKeeper, type TreeKeeperEnv } from './keeper.ts';

const ORIGIN = 'example.org/gateway';
const signer = (): Signer => ({ name: ORIGIN, key: signingKey(generateKeyPairSync('ed25519').privateKey) });
/** A key that signs only while it is `working`, and counts its signatures. */
function switched() {
  const { name, key } = signer();
  const state = { working: true, signed: 0, wait: null as Promise<unknown> | null };
  const sign: SigningKey['sign'] = async (message, signal) => {
    await state.wait;
    if (!state.working) throw new NotSigned('unavailable');
    state.signed += 1;
    return key.sign(message, signal);
  };
  return { state, signer: { name, key: { public_key: key.public_key, sign } } satisfies Signer };
}
const verifierOf = (of: Signer) => parseVerifierKey(verifierKey(of));

/** A ledger in memory whose bytes a test may change. */
class Ledger implements Pick<TreeKeeperEnv['store'], 'records' | 'recordsBySeq' | 'readMeta' | 'writeMeta'> {
  readonly bytes: string[] = [];
  readonly hashes: string[] = [];
  readonly meta = new Map<string, string>();

  grow(count: number): void {
    for (let i = 0; i < count; i++) {
      const body = {
        record_type: 'run_evidence',
        run_id: `00000000-0000-7000-8000-${String(this.bytes.length).padStart(12, '0')}`,
        model_id: 'm',
        model_version: null,
        principal_id: 'alice',
        created_at: '2026-01-05T09:00:00.000Z',
        completed_at: '2026-01-05T09:00:01.000Z',
        status: 'completed',
        events: [{ event_type: 'state', stage: 'ingress', node: '', data: { hash: `sha256:${'0'.repeat(64)}` } }],
        approver: null,
      };
      const placed = placeRecord(prepareRecord(body), this.bytes.length + 1, this.hashes.at(-1) ?? 'genesis');
      this.bytes.push(placed.bytes);
      this.hashes.push(placed.hash);
    }
  }

  records = async ({ since_seq, limit }: LedgerQuery): Promise<StoredRecord[]> =>
    this.bytes.slice(since_seq, since_seq + limit).map((bytes, i) => ({ seq: since_seq + i + 1, bytes }));
  recordsBySeq = async (seqs: readonly number[]): Promise<StoredRecord[]> =>
    seqs.flatMap((seq) => {
      const bytes = this.bytes[seq - 1];
      return bytes === undefined ? [] : [{ seq, bytes }];
    });
  readMeta = async (key: string) => this.meta.get(key) ?? null;
  writeMeta = async (key: string, expected: string | null, value: string) => {
    if ((this.meta.get(key) ?? null) !== expected) return false;
    this.meta.set(key, value);
    return true;
  };
}

const lines: object[] = [];
const log = (fields: object): void => void lines.push(fields);
const logger: Logger = { debug: log, info: log, warn: log, error: log };

function keeperOf(store: Ledger, signers: readonly Signer[], checkpointPin: CheckpointPin | null = null): TreeKeeper {
  return new TreeKeeper({ store, logger, origin: ORIGIN, signers, checkpointPin });
}

async function temporaryFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-guard-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return join(folder, 'guard');
}

describe('a key that does not sign', () => {
  it('is logged once, changes nothing, and the next checkpoint covers all records', async () => {
    const [ledger, { state, signer }] = [new Ledger(), switched()];
    const keeper = keeperOf(ledger, [signer]);
    ledger.grow(3);
    const before = await keeper.checkpoint();
    const meta = new Map(ledger.meta);
    lines.length = 0;
    state.working = false;
    ledger.grow(4);
    for (let n = 0; n < 2; n += 1) await expect(keeper.checkpoint()).rejects.toThrow(NotSigned);
    expect(await keeper.newest()).toMatchObject({ size: 3, note: before.note });
    expect(ledger.meta.get('ledger/checkpoint')).toBe(meta.get('ledger/checkpoint'));
    state.working = true;
    ledger.grow(5);
    const after = await keeper.checkpoint();
    expect(after.size).toBe(12);
    const { path } = await keeper.consistency(3, 12);
    expect(provesConsistency(before, after, path)).toBe(true);
    expect(lines).toEqual([
      { event: 'ledger_not_signed', origin: ORIGIN, reason: 'unavailable' },
      { event: 'ledger_signed_again', origin: ORIGIN },
    ]);
  });

  it('is given up, and does not delay the next checkpoint', async () => {
    const ledger = new Ledger();
    const { name, key } = signer();
    let asked = 0;
    // It never answers the first time.
    const sign: SigningKey['sign'] = (message, signal) => {
      asked += 1;
      return asked === 1 ? new Promise(() => undefined) : key.sign(message, signal);
    };
    const keeper = keeperOf(ledger, [{ name, key: checkedKey({ public_key: key.public_key, sign }) }]);
    ledger.grow(3);
    lines.length = 0;
    const refused = expect(keeper.checkpoint()).rejects.toThrow(NotSigned);
    await vi.waitUntil(() => asked === 1);
    keeper.giveUp();
    await refused;
    expect((await keeper.checkpoint()).size).toBe(3);
    expect(lines).toEqual([]);
  });

  it('leaves a checkpoint unsigned if it is one of several', async () => {
    const [ledger, other, { state, signer: silent }] = [new Ledger(), signer(), switched()];
    state.working = false;
    await expect(keeperOf(ledger, [other, silent]).checkpoint()).rejects.toThrow(NotSigned);
    expect(await keeperOf(ledger, [other]).newest()).toBeNull();
  });

  it('does not delay tiles and proofs without a signature, and those who wait share one signature', async () => {
    const [ledger, { state, signer }] = [new Ledger(), switched()];
    const keeper = keeperOf(ledger, [signer]);
    ledger.grow(10);
    const slow = Promise.withResolvers<void>();
    state.wait = slow.promise;
    const first = keeper.checkpoint();
    expect((await keeper.consistency(4, 10)).to.size).toBe(10);
    expect(await keeper.tile({ level: 0, index: 0, width: 10 })).not.toBeNull();
    const others = Array.from({ length: 5 }, () => keeper.checkpoint());
    ledger.grow(1);
    slow.resolve();
    const sizes = await Promise.all([first, ...others].map(async (checkpoint) => (await checkpoint).size));
    // Those who asked while the first was signed get one that is newer than their question.
    expect(sizes).toEqual([10, 11, 11, 11, 11, 11]);
    expect(state.signed).toBe(2);
  });
});

describe('another key', () => {
  it('signs the next checkpoint, also of a ledger that has not grown, and earlier ones stay valid', async () => {
    const [ledger, old, young] = [new Ledger(), signer(), signer()];
    const keeper = keeperOf(ledger, [old]);
    ledger.grow(3);
    const before = await keeper.checkpoint();
    keeper.useSigners([young, old]);
    const both = await keeper.checkpoint();
    expect(openNote(both.note, [verifierOf(young), verifierOf(old)]).signedBy).toHaveLength(2);
    expect(keeper.verifierKeys).toEqual([verifierKey(young), verifierKey(old)]);
    keeper.useSigners([young]);
    ledger.grow(2);
    const after = await keeper.checkpoint();
    expect(openNote(after.note, [verifierOf(young)]).signedBy).toHaveLength(1);
    expect(openNote(after.note, [verifierOf(old)]).signedBy).toEqual([]);
    expect(openNote(before.note, [verifierOf(old)]).signedBy).toHaveLength(1);
    expect(provesConsistency(before, after, (await keeper.consistency(3, 5)).path)).toBe(true);
  });
});

describe('checkpoints', () => {
  it('sign the whole ledger, grow with it, and each is a prefix of the next', async () => {
    const [ledger, key] = [new Ledger(), signer()];
    const keeper = keeperOf(ledger, [key]);
    const seen = [await keeper.checkpoint()];
    for (const more of [1, 254, 1, 1, 300, 1000]) {
      ledger.grow(more);
      seen.push(await keeper.checkpoint());
    }
    expect(seen.map(({ size }) => size)).toEqual([0, 1, 255, 256, 257, 557, 1557]);
    for (const [i, { note, size, root }] of seen.entries()) {
      const { text, signedBy } = openNote(note, [verifierOf(key)]);
      expect(signedBy).toHaveLength(1);
      expect(parseCheckpoint(text)).toEqual({ origin: ORIGIN, size, root });
      const next = seen[i + 1];
      if (next === undefined) continue;
      const { path } = await keeper.consistency(size, next.size);
      expect(provesConsistency({ size, root }, next, path)).toBe(true);
    }
    expect((await keeper.checkpoint()).note).toBe(seen.at(-1)?.note);
    expect((await keeperOf(ledger, [key]).checkpoint()).note).toBe(seen.at(-1)?.note);
  });

  it('prove each record with a separate file', async () => {
    const [ledger, key] = [new Ledger(), signer()];
    ledger.grow(700);
    const keeper = keeperOf(ledger, [key]);
    for (const seq of [1, 2, 256, 257, 700]) {
      const proven = verifyProof(await keeper.inclusion(seq), [verifierOf(key)]);
      expect(proven.place).toMatchObject({ seq, hash: ledger.hashes[seq - 1] });
      expect(proven.checkpoint.size).toBe(700);
      expect(proven.signedBy).toHaveLength(1);
    }
    await expect(keeper.inclusion(701)).rejects.toMatchObject({ code: 'SVC-REQ-001' });
    await expect(keeper.inclusion(0)).rejects.toMatchObject({ code: 'SVC-REQ-001' });
    await expect(keeper.consistency(5, 701)).rejects.toMatchObject({ code: 'SVC-REQ-001' });
  });

  it('are signed by all keys, and again when the newest key changes', async () => {
    const [ledger, old, young] = [new Ledger(), signer(), signer()];
    ledger.grow(3);
    await keeperOf(ledger, [old]).checkpoint();
    const { note } = await keeperOf(ledger, [young, old]).checkpoint();
    expect(openNote(note, [verifierOf(old), verifierOf(young)]).signedBy).toHaveLength(2);
  });

  it('of two processes that keep one tree, both continue', async () => {
    const [ledger, key] = [new Ledger(), signer()];
    const [one, two] = [keeperOf(ledger, [key]), keeperOf(ledger, [key])];
    for (let round = 0; round < 8; round++) {
      ledger.grow(200);
      const [a, b] = await Promise.all([one.checkpoint(), two.checkpoint()]);
      expect(a.root).toEqual(b.root);
      expect(a.size).toBe((round + 1) * 200);
    }
  });
});

it('records that another process sealed and signed during the check are not a sign of tampering', async () => {
  const [ledger, key] = [new Ledger(), signer()];
  ledger.grow(10);
  const other = keeperOf(ledger, [key]);
  await other.checkpoint();
  // Right after the first page is read, the other keeper adds and signs more records.
  let busy = true;
  const read = ledger.records;
  ledger.records = async (query) => {
    const page = await read(query);
    if (busy) {
      busy = false;
      ledger.grow(5);
      await other.checkpoint();
    }
    return page;
  };
  expect((await keeperOf(ledger, [key]).checkpoint()).size).toBeGreaterThanOrEqual(10);
});

describe('the records that this process has written', () => {
  const key = signer();
  const root = async (keeper: TreeKeeper) => base64Of((await keeper.checkpoint()).root);

  it('are signed by the hash that they were sealed with, whatever the store contains by then', async () => {
    const ledger = new Ledger();
    ledger.grow(300);
    const sealed = await root(keeperOf(ledger, [key]));
    const altered = new Ledger();
    altered.bytes.push(...ledger.bytes.map((bytes) => bytes.replace('alice', 'mallory')));
    const keeper = keeperOf(altered, [key]);
    keeper.written(ledger.hashes.map((hash, i) => ({ seq: i + 1, hash })));
    expect(await root(keeper)).toBe(sealed);
  });

  it('are read from the store if they do not continue the tree or have a gap', async () => {
    const ledger = new Ledger();
    ledger.grow(300);
    const keeper = keeperOf(ledger, [key]);
    const known = ledger.hashes.map((hash, i) => ({ seq: i + 1, hash }));
    keeper.written([...known.slice(20, 30), ...known.slice(40, 200)]);
    expect(await root(keeper)).toBe(await root(keeperOf(ledger, [key])));
    keeper.written(known.slice(100));
    ledger.grow(1);
    expect(await root(keeper)).toBe(await root(keeperOf(ledger, [key])));
  });
});

describe('a ledger that was tampered with is not signed', () => {
  it.each([
    ['a changed record', (ledger: Ledger) => ledger.bytes.splice(299, 1, ledger.bytes[299]?.replace('alice', 'malice') ?? '')],
    ['two exchanged', (ledger: Ledger) => ledger.bytes.splice(298, 2, ledger.bytes[299] ?? '', ledger.bytes[298] ?? '')],
    ['one taken out', (ledger: Ledger) => ledger.bytes.splice(299, 1)],
    ['one twice', (ledger: Ledger) => ledger.bytes.splice(299, 0, ledger.bytes[299] ?? '')],
  ])('%s', async (_, tamper) => {
    const [ledger, key] = [new Ledger(), signer()];
    ledger.grow(400);
    tamper(ledger);
    const failed = await keeperOf(ledger, [key])
      .checkpoint()
      .catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(AlteredLedger);
    expect((failed as AlteredLedger).seq).toBeGreaterThanOrEqual(299);
    expect((failed as AlteredLedger).seq).toBeLessThanOrEqual(301);
  });

  it('a ledger that was cut off before its own checkpoint, or differs up to there', async () => {
    const [ledger, key] = [new Ledger(), signer()];
    ledger.grow(100);
    await keeperOf(ledger, [key]).checkpoint();
    const cut = new Ledger();
    for (const [name, value] of ledger.meta) cut.meta.set(name, value);
    cut.grow(99);
    await expect(keeperOf(cut, [key]).checkpoint()).rejects.toBeInstanceOf(AlteredLedger);
    const note = ledger.meta.get('ledger/checkpoint') ?? '';
    ledger.meta.set('ledger/checkpoint', note.replace(/^[A-Za-z0-9+/]{43}=$/m, Buffer.alloc(32, 7).toString('base64')));
    await expect(keeperOf(ledger, [key]).checkpoint()).rejects.toBeInstanceOf(AlteredLedger);
  });
});

describe('the pinned checkpoint', () => {
  it('accepts a longer ledger, and refuses one that is older, different, or not signed by our key', async () => {
    const [ledger, key, path] = [new Ledger(), signer(), await temporaryFile()];
    const start = (of: Ledger, signers = [key]) => keeperOf(of, signers, new CheckpointPin(path)).checkPin();
    await start(ledger);
    ledger.grow(300);
    await keeperOf(ledger, [key], new CheckpointPin(path)).checkpoint();
    ledger.grow(10);
    await start(ledger);
    const behind = new Ledger();
    behind.grow(299);
    await expect(start(behind)).rejects.toThrow('older copy');
    // After an older copy is restored, there are two files to move away.
    await expect(start(behind)).rejects.toThrow(`${path}.operations`);
    const forked = new Ledger();
    forked.grow(299);
    const body = { record_type: 'run_evidence', model_id: 'other' };
    const placed = placeRecord(prepareRecord(body), 300, forked.hashes.at(-1) ?? '');
    forked.bytes.push(placed.bytes);
    await expect(start(forked)).rejects.toThrow('differs from ledger.pinned_checkpoint_file');
    await expect(start(ledger, [signer()])).rejects.toThrow('not signed by any of ledger.signing_keys');
    await writeFile(path, 'rubbish');
    await expect(start(ledger)).rejects.toThrow();
  });

  it('beside the key: another key or origin is accepted; fewer or other records are refused', async () => {
    const [ledger, key, path] = [new Ledger(), signer(), await temporaryFile()];
    const beside = (): CheckpointPin => new CheckpointPin(path, 'records');
    ledger.grow(300);
    await keeperOf(ledger, [key], beside()).checkpoint();
    ledger.grow(10);
    await keeperOf(ledger, [signer()], beside()).checkPin();
    const renamed = { store: ledger, logger, origin: 'example.org/renamed', signers: [signer()], checkpointPin: beside() };
    await new TreeKeeper(renamed).checkPin();
    const behind = new Ledger();
    behind.grow(299);
    await expect(keeperOf(behind, [signer()], beside()).checkPin()).rejects.toThrow('older copy');
    const other = new Ledger();
    other.grow(299);
    const parts = prepareRecord({ record_type: 'run_evidence', model_id: 'other' });
    const placed = placeRecord(parts, 300, other.hashes.at(-1) ?? '');
    other.bytes.push(placed.bytes);
    other.hashes.push(placed.hash);
    other.grow(10);
    await expect(keeperOf(other, [key], beside()).checkPin()).rejects.toThrow('differs from ledger.pinned_checkpoint_file');
  });

  it('that cannot be written delays no checkpoint, leaves nothing behind, and is written once that is possible', async () => {
    const [ledger, key, path] = [new Ledger(), signer(), await temporaryFile()];
    const keeper = keeperOf(ledger, [key], new CheckpointPin(path));
    // A folder cannot be replaced by a file.
    await mkdir(path);
    for (const size of [5, 8]) {
      ledger.grow(size);
      expect(await keeper.checkpoint()).toMatchObject({ size: ledger.bytes.length });
    }
    expect(await readdir(dirname(path))).toEqual([basename(path)]);
    await rmdir(path);
    const { note } = await keeper.checkpoint();
    expect(await readFile(path, 'utf8')).toBe(note);
  });
});
