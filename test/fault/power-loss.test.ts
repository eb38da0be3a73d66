import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { verifyLedger } from '@svc/ledger';
import { fakePluginDeps } from '@svc/sdk/testing';
import lmdb from '@svc/store-lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { LONG, pick, SEED } from './form.ts';
import { evidenceByRun } from './ledger-of.ts';
import { crashImage, FATES } from './machine/crash-image.ts';
import { type DiskEntry, Machine, whyNoMachine } from './machine/machine.ts';

const CLIENTS = 6;
const ANSWERS = LONG ? 2000 : 240;
const IMAGES = LONG ? 1000 : 24;
const STARTED = 3;
const FILES = ['data.mdb', 'commits.log'];
const reason = whyNoMachine();

/** What a client was told, and how much the disk had been given by then. */
interface Receipt {
  readonly run_id: string;
  /** Null for a run that waits for an approver. */
  readonly evidence: string | null;
  readonly logged: number;
}

describe.skipIf(reason !== null)(`power loss (SVC_FAULT_SEED=${SEED})${reason === null ? '' : `: ${reason}`}`, () => {
  let folder: string;
  let machine: Machine;
  let gateway: TestGateway;
  let entries: (DiskEntry & { readonly end: number })[];
  const receipts: Receipt[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-power-'));
    machine = new Machine(...FILES.map((name) => join(folder, name)));
    const config = echoConfig({ approvals: { max_paused_per_principal: 10_000 } });
    gateway = await TestGateway.start({ config, args: ['--runs-db', folder], env: machine.env });
    // Each its own text: a decision on a request holds for its repetitions.
    let last = 0;
    const client = async (): Promise<void> => {
      while (receipts.length < ANSWERS) {
        const waits = pick(`waits ${receipts.length}`, 8) === 0;
        const { body, headers } = await gateway.chat(waits ? `a wire transfer, number ${++last}` : 'hello', {
          stream: !waits && receipts.length % 3 === 0,
        });
        const run_id = headers.get('x-svc-run-id') ?? body.svc_run_id;
        receipts.push({ run_id, evidence: headers.get('x-svc-evidence'), logged: machine.logged });
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    await gateway.stop('SIGKILL');
    entries = [...machine.entries()];
  }, 120_000);
  afterAll(async () => {
    await gateway.dispose();
    machine.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A folder with the database as the disk has it when the power goes at a moment under load, and what clients had been told by then. */
  function crash(round: number): { image: string; told: readonly Receipt[] } {
    const first = entries.findIndex(({ end }) => end > (receipts[0]?.logged ?? 0));
    const count = first + pick(`moment ${round}`, entries.length - first);
    const until = entries[count - 1]?.end ?? 0;
    const image = mkdtempSync(join(tmpdir(), 'svc-image-'));
    const fate = FATES[round % FATES.length] ?? 'none';
    // The key that signs its ledger lies beside a folder, on the same disk.
    copyFileSync(join(gateway.folder, `${basename(folder)}.key`), `${image}.key`);
    for (const [n, name] of FILES.entries()) {
      const written = entries.slice(0, count).filter(({ file }) => file === n);
      writeFileSync(join(image, name), crashImage(written, fate, `image ${round} ${name}`));
    }
    return { image, told: receipts.filter(({ logged }) => logged <= until) };
  }

  it('leaves a database that opens with every acknowledged run', { timeout: LONG ? 1_200_000 : 240_000 }, async () => {
    let most = 0;
    for (let round = 0; round < IMAGES; round += 1) {
      const { image, told } = crash(round);
      const store = lmdb.create({ path: image, min_free_bytes: 0 }, fakePluginDeps());
      await store.open();
      const stored = await store.records({ since_seq: 0, limit: 10_000 });
      expect(await verifyLedger(stored.map(({ bytes }) => bytes))).toMatchObject({ records: stored.length, fault: null });
      const hashes = new Map(stored.map(({ seq, bytes }) => [`${seq} ${JSON.parse(bytes).hash}`, JSON.parse(bytes).run_id]));
      for (const { run_id, evidence } of told) {
        if (evidence !== null) expect(hashes.get(evidence), `image ${round}`).toBe(run_id);
        else expect(await store.run(run_id), `image ${round}`).toMatchObject({ status: 'paused' });
      }
      await store.close();
      rmSync(image, { recursive: true });
      most = Math.max(most, told.length);
    }
    // Else nothing was looked at.
    expect(most).toBeGreaterThan(ANSWERS / 2);
  });

  it.each(Array.from({ length: STARTED }, (_, n) => n))('and a gateway can continue from it (%i)', async (n) => {
    const { image, told } = crash(IMAGES + n);
    // Written once at the first start and long on the disk: a head that is signed is nothing without it.
    await copyFile(join(gateway.folder, `${basename(folder)}.key`), `${image}.key`);
    gateway.here = true;
    await gateway.launch(['--runs-db', image]);
    try {
      const evidence = await evidenceByRun(gateway);
      for (const { run_id, evidence: receipt } of told) {
        if (receipt === null) {
          const { body } = await gateway.post(`/v1/runs/${run_id}/resume`, { decision: 'approved' }, 'bob');
          expect(body).toMatchObject({ status: 'completed', response: expect.stringMatching(/^echo: a wire transfer, number/) });
        } else expect(`${evidence.get(run_id)?.seq} ${evidence.get(run_id)?.hash}`).toBe(receipt);
      }
      expect((await gateway.chat('hello')).status).toBe(200);
    } finally {
      await gateway.stop();
      rmSync(image, { recursive: true });
      rmSync(`${image}.key`);
    }
  });
});
