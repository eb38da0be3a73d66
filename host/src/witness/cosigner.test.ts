import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addCheckpointText,
  checkpointText,
  consistencyPath,
  cosignaturesIn,
  EMPTY_ROOT,
  type Hash,
  leafHash,
  openNote,
  parseNote,
  parseVerifierKey,
  parseWitnessKey,
  rangeHash,
  signingKey,
  signNote,
  TileEdge,
  verifierKey,
  witnessKey,
} from '@svc/ledger';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { Cosigner } from './cosigner.ts';
import { witnessServer } from './witness-server.ts';
import { WitnessState } from './witness-state.ts';

const signer = (name: string) => ({ name, key: signingKey(generateKeyPairSync('ed25519').privateKey) });
const LOG = signer('example.org/gateway');
const WITNESS = signer('witness.example');
const NOW_S = 1_700_000_000;
const CONFLICT = 'text/x.tlog.size';

/** A log of up to 255 entries. */
class Log {
  readonly #edge = new TileEdge();
  constructor(text: string, size = 200) {
    for (let at = 0; at < size; at++) this.#edge.append(leafHash(createHash('sha256').update(`${text} ${at}`).digest()));
  }
  readonly #tile = async (): Promise<readonly Hash[]> => this.#edge.levels[0] ?? [];
  note = async (size: number, by = LOG): Promise<string> => {
    const root = size === 0 ? EMPTY_ROOT : await rangeHash({ begin: 0, end: size }, this.#tile);
    return signNote(checkpointText({ origin: LOG.name, size, root }), [by]);
  };
  async request(old: number, size: number, by = LOG): Promise<string> {
    const path = await Promise.all(consistencyPath(Math.min(old, size), size).map((range) => rangeHash(range, this.#tile)));
    return addCheckpointText({ old, path, checkpoint: await this.note(size, by) });
  }
}

let folder: string;
let state: WitnessState | null = null;
let cosigner: Cosigner;
const log = new Log('one');
/** Starts it again, if it runs. */
async function start(): Promise<Cosigner> {
  state?.close();
  state = await WitnessState.open(folder);
  return new Cosigner(WITNESS, [parseVerifierKey(verifierKey(LOG))], state, () => NOW_S);
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-witness-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  cosigner = await start();
});

describe('a witness', () => {
  it('cosigns a log that grows, and the same checkpoint again', async () => {
    for (const [old, size] of [
      [0, 7],
      [7, 7],
      [7, 64],
      [64, 65],
      [65, 200],
    ] as const) {
      const { status, text } = await cosigner.add(await log.request(old, size));
      expect(status).toBe(200);
      const [found] = cosignaturesIn((await log.note(size)) + text, [parseWitnessKey(witnessKey(WITNESS))]);
      expect(found?.time_s).toBe(NOW_S);
    }
  });

  it('answers 409 with its size if the old size is another one, also after a restart, and never goes back', async () => {
    expect((await cosigner.add(await log.request(0, 64))).status).toBe(200);
    for (const witness of [cosigner, await start()])
      for (const [old, size] of [
        [0, 64],
        [7, 65],
        [0, 7],
        [7, 7],
        [65, 65],
      ] as const)
        expect(await witness.add(await log.request(old, size))).toEqual({ status: 409, type: CONFLICT, text: '64\n' });
    expect(await state?.read(LOG.name)).toContain(`${LOG.name}\n64\n`);
  });

  it('answers 422 to a fork, a wrong proof, and a proof where none belongs', async () => {
    expect((await cosigner.add(await log.request(0, 64))).status).toBe(200);
    const fork = new Log('two');
    const bare = (old: number, checkpoint: string) => cosigner.add(addCheckpointText({ old, path: [], checkpoint }));
    expect((await cosigner.add(await fork.request(64, 65))).status).toBe(422);
    expect((await cosigner.add(await fork.request(64, 64))).status).toBe(422);
    expect((await bare(64, await log.note(65))).status).toBe(422);
    expect(
      (await cosigner.add((await log.request(64, 65)).replace('\n\n', `\n${Buffer.alloc(32).toString('base64')}\n\n`))).status,
    ).toBe(422);
    folder = await mkdtemp(join(tmpdir(), 'svc-witness-'));
    const fresh = await start();
    const padded = addCheckpointText({ old: 0, path: [EMPTY_ROOT], checkpoint: await log.note(7) });
    expect((await fresh.add(padded)).status).toBe(422);
    const empty = await signNote(checkpointText({ origin: LOG.name, size: 0, root: new Uint8Array(32) }), [LOG]);
    expect((await fresh.add(addCheckpointText({ old: 0, path: [], checkpoint: empty }))).status).toBe(422);
    await rm(folder, { recursive: true });
  });

  it('answers 404 to an unknown log, 403 to another key, 400 to what it cannot read and to an old size that is too large', async () => {
    const other = signer('example.org/other');
    const unknown = await signNote(checkpointText({ origin: other.name, size: 1, root: EMPTY_ROOT }), [other]);
    expect((await cosigner.add(addCheckpointText({ old: 0, path: [], checkpoint: unknown }))).status).toBe(404);
    expect((await cosigner.add(await log.request(0, 7, signer(LOG.name)))).status).toBe(403);
    const changed = (await log.request(0, 7)).replace('\n7\n', '\n8\n');
    expect((await cosigner.add(changed)).status).toBe(403);
    expect((await cosigner.add(await log.request(8, 7))).status).toBe(400);
    for (const body of ['', 'rubbish', 'old 0\n\nrubbish']) expect((await cosigner.add(body)).status).toBe(400);
  });

  it('keeps the signatures of the log and its own, and no others', async () => {
    const signed = await signNote(checkpointText({ origin: LOG.name, size: 1, root: EMPTY_ROOT }), [
      signer('stranger.example'),
      LOG,
    ]);
    expect((await cosigner.add(addCheckpointText({ old: 0, path: [], checkpoint: signed }))).status).toBe(200);
    const kept = (await state?.read(LOG.name)) ?? '';
    expect(parseNote(kept).signatures.map(({ name }) => name)).toEqual([LOG.name, WITNESS.name]);
    expect(openNote(kept, [parseVerifierKey(verifierKey(LOG))]).signedBy).toHaveLength(1);
  });

  it('reports a fork in its log', async () => {
    const warned: object[] = [];
    const logger = { debug() {}, info() {}, warn: (line: object) => void warned.push(line), error() {} };
    const server = witnessServer({ cosigner, state: state as WitnessState, origins: [LOG.name], logger }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/add-checkpoint`;
    const bodies = [await log.request(0, 7), await log.request(0, 8), await new Log('two').request(7, 8)];
    const statuses: number[] = [];
    for (const body of bodies) statuses.push((await fetch(url, { method: 'POST', body })).status);
    expect(statuses).toEqual([200, 409, 422]);
    expect(warned).toEqual([{ event: 'witness_refused' }]);
  });

  it('of two requests at once, cosigns one', async () => {
    const fork = new Log('two');
    const answers = await Promise.all([cosigner.add(await log.request(0, 64)), cosigner.add(await fork.request(0, 65))]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});
