import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Exporter, ExportRecord, LedgerQuery, NewOperation, Operation } from '@svc/contracts';
import { BytesInFlight } from '@svc/kernel/admission';
import { noopObserver } from '@svc/kernel/observing';
import { NO_WORKERS } from '@svc/kernel/workers';
import {
  LedgerVerifier,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  placeRecord,
  prepareRecord,
  readOperation,
  signingKey,
  verifierKey,
  verifyProof,
} from '@svc/ledger';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { KeyTree } from '../content/key-tree.ts';
import { TRUSTED_APPROVERS } from '../pauses/approver.ts';
import { recordIn } from '../records/operations-log/records.ts';
import { CheckpointPin } from '../records/tree/checkpoint-pin.ts';
import { handClock } from '../test-parts.ts';
import { Gateway } from './gateway.ts';
import type { GatewayOptions } from './gateway-options.ts';
import { SharedStore } from './test-store.ts';

const SIGNING_KEY = signingKey(generateKeyPairSync('ed25519').privateKey);
const VERIFIERS = [parseVerifierKey(verifierKey({ name: 'test', key: SIGNING_KEY }))];
const CONTENT_KEYS = { newest: KeyTree.generate(), older: [], forget: null };
const CHANGE: NewOperation = {
  action: 'state.changed',
  actor: { principal_id: 'ada', issuer: null, subject: null },
  target: { kind: 'route', name: 'chat' },
  before: null,
  after: null,
  reason: null,
  change: {},
};
const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;
const silent = (): void => undefined;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-operations-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

function open(store: SharedStore, options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  return Gateway.open({
    store,
    clock: handClock(),
    workers: NO_WORKERS,
    count_tokens: null,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    observer: noopObserver,
    config_digest: digest('1'),
    record_content: false,
    bytes: new BytesInFlight(Number.POSITIVE_INFINITY),
    routes: [],
    record_start: true,
    result_ttl_ms: 60_000,
    expire_after_ms: 60_000,
    max_paused: { in_all: 100, per_principal: 100 },
    reuse_for_ms: 60_000,
    retention_ms: null,
    content_keys: CONTENT_KEYS,
    seals_inventory: true,
    ledger: {
      origin: 'test',
      signing_keys: [SIGNING_KEY],
      not_signed: null,
      checkpoint_pin: new CheckpointPin(join(folder, 'pin')),
      witnessing: null,
      timestamping: null,
    },
    approvers: TRUSTED_APPROVERS,
    exporters: [],
    retrieval: null,
    ...options,
  });
}

async function operationsOf({ operations }: Gateway): Promise<Operation[]> {
  const stored = await operations.records.records({ since_seq: 0, limit: 1000 });
  return stored.map(({ bytes }) => JSON.parse(bytes));
}

it('records each start of a server, with its plugins and the previous configuration', async () => {
  const store = new SharedStore();
  const plugins = [{ package: '@svc/guard-rules', version: '2.0.0', pin: 'sha512-AAAA' }];
  await (await open(store, { plugins })).close();
  const second = await open(store, { config_digest: digest('2') });
  // Another process of the same server.
  const worker = await open(store, { config_digest: digest('2'), seals_inventory: false });
  expect(await operationsOf(worker)).toMatchObject([
    { action: 'gateway.started', before: null, after: digest('1'), change: { config_digest: digest('1'), plugins } },
    { action: 'gateway.started', before: digest('1'), after: digest('2'), change: { plugins: [] } },
  ]);
  // The digest of the configuration that this start replaced. Only one process of a server receives it.
  expect([second.former_digest, worker.former_digest]).toEqual([digest('1'), null]);
  await worker.close();
  await second.close();
});

it('is signed with the keys of the ledger, under its own origin, and proves each record', async () => {
  const gateway = await open(new SharedStore());
  await gateway.operations.append(() => CHANGE);
  const { note } = await gateway.audit.operations.checkpoint();
  const { text, signedBy } = openNote(note, VERIFIERS);
  expect(signedBy).toHaveLength(1);
  expect(parseCheckpoint(text)).toMatchObject({ origin: 'test/operations', size: 2 });
  const proven = verifyProof(await gateway.audit.operations.inclusion(2), VERIFIERS);
  expect(proven).toMatchObject({ place: { seq: 2 }, checkpoint: { origin: 'test/operations' } });
  expect((await gateway.audit.operations.consistency(1, 2)).path).toHaveLength(1);
  await gateway.close();
  expect(await readFile(join(folder, 'pin.operations'), 'utf8')).toBe(note);
});

it('a record that is altered after it was applied is not signed in its altered form', async () => {
  const store = new SharedStore();
  const gateway = await open(store);
  const { seq, hash } = await gateway.operations.append(() => ({ ...CHANGE, reason: 'tried' }));
  const key = `operations/record/${String(seq).padStart(12, '0')}`;
  const value = store.meta.get(key) ?? '';
  store.meta.set(key, value.replace('"tried"', '"meant"'));
  const signed = await gateway.audit.operations.checkpoint();
  const verifier = new LedgerVerifier([signed], [], readOperation);
  const [started] = await gateway.operations.records.recordsBySeq([1]);
  for (const text of [started?.bytes ?? '', recordIn(value).bytes]) verifier.add(Buffer.from(text));
  expect(verifier.report()).toMatchObject({ anchored: 2, head: hash, fault: null });
  await gateway.close();
  await expect(open(store)).rejects.toMatchObject({
    code: 'SVC-STORE-001',
    message: expect.stringContaining(`record ${seq} of the operations log`),
  });
});

it('an older operations log beside the same ledger is refused', async () => {
  const store = new SharedStore();
  const first = await open(store);
  const before = new Map(store.meta);
  await first.operations.append(() => CHANGE);
  await first.close();
  for (const key of [...store.meta.keys()].filter((name) => name.startsWith('operations/'))) {
    const older = before.get(key);
    if (older === undefined) store.meta.delete(key);
    else store.meta.set(key, older);
  }
  await expect(open(store)).rejects.toThrow(/older copy of .* was restored.*pin\.operations(?!.*\.operations)/);
});

it('refuses the start if the store accepts no record', async () => {
  const store = new SharedStore();
  const written = store.writeMeta;
  Object.assign(store, {
    writeMeta: async (key: string, expected: string | null, value: string) => {
      if (key.startsWith('operations/record/')) throw new Error('the disk is full');
      return written(key, expected, value);
    },
  });
  await expect(open(store)).rejects.toThrow('the disk is full');
});

/** Keeps everything that it receives. */
class Sink implements Exporter {
  readonly operations: Sink | undefined;
  readonly taken: ExportRecord[] = [];
  readonly notes: string[] = [];
  ledgerId = '';
  constructor(operations?: Sink) {
    this.operations = operations;
  }
  open = async ({ ledgerId }: { ledgerId: string }) => {
    this.ledgerId = ledgerId;
  };
  deliver = async (records: readonly ExportRecord[]) => {
    this.taken.push(...records);
    return { through: records.at(-1)?.seq ?? 0 };
  };
  checkpoint = async (note: string) => void this.notes.push(note);
  close = async () => undefined;
}

it('is exported on request, separately from the ledger, and continues after the last delivered record', async () => {
  const cursors = new Map<string, number>();
  const store = Object.assign(new SharedStore(), {
    cursor: async (name: string) => cursors.get(name) ?? 0,
    moveCursor: async (name: string, seq: number) => cursors.set(name, seq).has(name),
  });
  const sink = new Sink(new Sink());
  const plain = new Sink();
  const exporters = [
    { name: 'siem', exporter: sink, from: 'start' as const },
    { name: 'plain', exporter: plain, from: 'start' as const },
  ];
  const first = await open(store, { exporters });
  const added = await first.operations.append(() => CHANGE);
  await expect.poll(() => sink.operations?.taken.map(({ seq }) => seq)).toEqual([1, 2]);
  expect(sink.operations?.taken[1]).toMatchObject({ hash: added.hash, bytes: expect.stringContaining('state.changed') });
  expect(sink.operations?.ledgerId).toBe(`${sink.ledgerId}/operations`);
  await first.close();
  const second = await open(store, { exporters });
  await expect.poll(() => sink.operations?.taken.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect([...sink.taken, ...plain.taken]).toEqual([]);
  await second.close();
});

it('a record that no gateway wrote is neither signed nor exported, even if it continues the chain', async () => {
  const store = new SharedStore();
  const gateway = await open(store);
  const { seq, hash } = await gateway.operations.append(() => CHANGE);
  const before = await gateway.audit.operations.checkpoint();
  const at = new Date().toISOString();
  const { bytes } = placeRecord(prepareRecord({ ...CHANGE, record_type: 'operation', at }), seq + 1, hash);
  store.meta.set(`operations/record/${String(seq + 1).padStart(12, '0')}`, `${'A'.repeat(44)} ${bytes}`);
  await expect(gateway.audit.operations.checkpoint()).rejects.toMatchObject({ code: 'SVC-STORE-001' });
  expect(store.meta.get('operations/ledger/checkpoint')).toBe(before.note);
  await gateway.close();
  await expect(open(store)).rejects.toMatchObject({ code: 'SVC-STORE-001' });
});

it('is signed even if the ledger beside it is broken', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = new SharedStore();
  const events: string[] = [];
  const warn = ({ event }: { event: string }): void => void events.push(event);
  const gateway = await open(store, { logger: { debug: silent, info: silent, warn, error: silent } });
  const records = store.records;
  Object.assign(store, { records: async (query: LedgerQuery) => [...(await records(query)), { seq: 1, bytes: '{}' }] });
  await gateway.operations.append(() => CHANGE);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(events).toContain('checkpoint_failed');
  const { text } = openNote(store.meta.get('operations/ledger/checkpoint') ?? '', VERIFIERS);
  expect(parseCheckpoint(text)).toMatchObject({ origin: 'test/operations', size: 2 });
  await gateway.close();
});

it('reports which records of a newer release it does not understand', async () => {
  const store = new SharedStore();
  const events: object[] = [];
  const warn = (fields: { event: string }): void => void (fields.event === 'operation_unknown' && events.push(fields));
  const options = { logger: { debug: silent, info: silent, warn, error: silent }, apply: [({ seq }: Operation) => seq !== 4] };
  const gateway = await open(store, options);
  await gateway.operations.append(() => ({ ...CHANGE, change: { state: 'disabled' } }));
  await gateway.operations.append(() => ({ ...CHANGE, change: { state: 'frozen' } }));
  const { hash } = await gateway.operations.append(() => ({ ...CHANGE, action: 'content.erased' }));
  const at = new Date().toISOString();
  const later = { ...CHANGE, action: 'key.suspended', record_type: 'operation', at } as unknown as Operation;
  const { bytes } = placeRecord(prepareRecord(later), 5, hash);
  await gateway.operations.records.add({ seq: 5, bytes });
  await gateway.operations.catchUp();
  const told = [3, 4, 5].map((seq) => ({ event: 'operation_unknown', seq }));
  expect(events).toEqual(told);
  await gateway.close();
  events.length = 0;
  await (await open(store, options)).close();
  expect(events).toEqual(told);
});
