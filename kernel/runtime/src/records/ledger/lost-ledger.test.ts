import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { signingKey } from '@svc/ledger';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { CheckpointPin } from '../tree/checkpoint-pin.ts';
import { ledgerId } from './ledger-id.ts';
import { refuseLostLedger } from './lost-ledger.ts';
import type { OwnKey } from './signing-keys.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-lost-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

function emptyStore() {
  const meta = new Map<string, string>();
  return {
    head: async () => null,
    readMeta: async (key: string) => meta.get(key) ?? null,
    writeMeta: async (key: string, _expected: string | null, value: string) => meta.set(key, value).size > 0,
  };
}

function keyFile(exists: boolean): OwnKey {
  const key = signingKey(generateKeyPairSync('ed25519').privateKey);
  return { file: 'own.key', read: async () => (exists ? key : null), make: async () => key };
}

async function checkpointPin(exists: boolean): Promise<CheckpointPin> {
  const path = join(folder, 'checkpoint');
  if (exists) await writeFile(path, 'a note');
  return new CheckpointPin(path);
}

it.each([
  [false, false, 'begins'],
  [true, false, 'is refused'],
  [false, true, 'is refused'],
  [true, true, 'is refused'],
])('with a key: %s, and a checkpoint: %s, an empty store %s', async (key, checkpoint, outcome) => {
  const checked = refuseLostLedger(emptyStore(), { own: keyFile(key), checkpointPin: await checkpointPin(checkpoint) });
  if (outcome === 'begins') await checked;
  else await expect(checked).rejects.toThrow(/ move .* away/);
});

it('a ledger whose first start was killed after the key was created can be continued', async () => {
  const store = emptyStore();
  await ledgerId(store);
  await refuseLostLedger(store, { own: keyFile(true), checkpointPin: await checkpointPin(false) });
});

it('a ledger of a release that gave it no id can be continued', async () => {
  const store = { ...emptyStore(), head: async () => ({ seq: 3, hash: 'sha256:3' }) };
  await refuseLostLedger(store, { own: keyFile(true), checkpointPin: await checkpointPin(true) });
});

it('a key of the configuration exists before the first start', async () => {
  await refuseLostLedger(emptyStore(), { own: null, checkpointPin: null });
});
