import { generateKeyPairSync } from 'node:crypto';
import { cp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  base64Of,
  openNote,
  parseCheckpoint,
  parseVerifierKey,
  provesConsistency,
  signingKey,
  type Verifier,
  verifierKey,
  verifyProof,
} from '@svc/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig(),
    principals: [
      { principal_id: 'alice' },
      { principal_id: 'carol', roles: ['call'] },
      { principal_id: 'dan', routes: ['default'] },
    ],
  });
});
afterAll(() => gateway.dispose());

/** The keys that the gateway says it signs with, at its last start. */
function announcedKeys(): { origin: string; verifiers: Verifier[] } {
  const line = gateway.output.split('\n').findLast((text) => text.includes('"event":"ledger_keys"')) ?? '{}';
  const { origin, verifier_keys } = JSON.parse(line);
  return { origin, verifiers: verifier_keys.map(parseVerifierKey) };
}

async function checkpoint() {
  const { text } = await gateway.get('/v1/audit/ledger/checkpoint');
  const opened = openNote(text, announcedKeys().verifiers);
  expect(opened.signedBy.length).toBeGreaterThan(0);
  return parseCheckpoint(opened.text);
}

describe('GET /v1/audit/ledger/checkpoint', () => {
  it('is a note about the whole ledger, signed with the announced key, and grows with it', async () => {
    const before = await checkpoint();
    await gateway.chat('hello');
    const after = await checkpoint();
    expect(after.origin).toBe(announcedKeys().origin);
    expect(after.size).toBe(before.size + 1);
    expect(after.size).toBe((await gateway.get('/v1/audit/report')).body.chain_length);
  });

  it('is for auditors', async () => {
    expect((await gateway.get('/v1/audit/ledger/checkpoint', 'carol')).status).toBe(403);
    expect((await gateway.get('/v1/audit/ledger/checkpoint', null)).status).toBe(401);
  });
});

describe('GET /v1/audit/ledger/keys', () => {
  it('gives the origin and the keys as in the log', async () => {
    const { origin, verifiers } = announcedKeys();
    const { body } = await gateway.get('/v1/audit/ledger/keys');
    expect(Object.keys(body)).toEqual(['origin', 'verifier_keys']);
    expect(body.origin).toBe(origin);
    expect(body.verifier_keys.map(parseVerifierKey)).toEqual(verifiers);
  });

  it('is for auditors', async () => {
    expect((await gateway.get('/v1/audit/ledger/keys', 'carol')).status).toBe(403);
    expect((await gateway.get('/v1/audit/ledger/keys', null)).status).toBe(401);
  });
});

describe('GET /v1/audit/ledger/proof', () => {
  it('with seq gives a file that proves the record by itself', async () => {
    await gateway.chat('hello');
    const records = await gateway.ledger();
    for (const record of records) {
      const { text, status } = await gateway.get(`/v1/audit/ledger/proof?seq=${record.seq}`);
      expect(status).toBe(200);
      const proven = verifyProof(text, announcedKeys().verifiers);
      expect(proven.place).toEqual({ seq: record.seq, prev_hash: record.prev_hash, hash: record.hash });
      expect(proven.signedBy).toHaveLength(1);
    }
  });

  it('with from and to proves that the ledger only grew', async () => {
    const first = await checkpoint();
    for (const content of ['one', 'two', 'three']) await gateway.chat(content);
    const second = await checkpoint();
    const { body } = await gateway.get(`/v1/audit/ledger/proof?from=${first.size}&to=${second.size}`);
    const path = body.path.map((hash: string) => Buffer.from(hash, 'base64'));
    expect(body.from).toEqual({ size: first.size, root: base64Of(first.root) });
    expect(body.to).toEqual({ size: second.size, root: base64Of(second.root) });
    expect(provesConsistency(first, second, path)).toBe(true);
    expect((await gateway.get(`/v1/audit/ledger/proof?from=${first.size}`)).body.to.size).toBeGreaterThanOrEqual(second.size);
  });

  it.each(['', '?seq=0', '?seq=100000', '?seq=1&from=0', '?seq=1&to=1', '?from=3&to=2', '?from=0&to=100000', '?seq=x', '?to=1'])(
    'refuses %j',
    async (query) => {
      const { status, body } = await gateway.get(`/v1/audit/ledger/proof${query}`);
      expect(status).toBe(400);
      expect(body.code).toBe('SVC-REQ-001');
    },
  );

  it('of one record is refused for a key limited to routes', async () => {
    expect((await gateway.get('/v1/audit/ledger/proof?seq=1', 'dan')).body.code).toBe('SVC-AUTH-002');
  });
});

describe('the signing key', () => {
  it('is created beside the runs-db, for its owner only, and is the same after a restart', async () => {
    const file = join(gateway.folder, 'runs-db.key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const before = await checkpoint();
    await gateway.stop();
    await gateway.launch();
    const after = await checkpoint();
    expect(after.origin).toBe(before.origin);
    expect(after.size).toBe(before.size + 1);
    expect(gateway.output).not.toContain((await readFile(file, 'utf8')).split('\n')[1]);
  });

  it('may be several, newest first, with a configured origin; earlier signatures stay valid', async () => {
    const before = await checkpoint();
    const old = announcedKeys().verifiers;
    const { privateKey } = generateKeyPairSync('ed25519');
    await writeFile(join(gateway.folder, 'new.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    await gateway.stop();
    const text = JSON.parse(await readFile(join(gateway.folder, 'svc.yaml'), 'utf8'));
    const signing_keys = ['secret://file/new.key#pem', 'secret://file/runs-db.key#pem'];
    await gateway.configure({ ...text, ledger: { origin: 'example.org/gateway', signing_keys } });
    await gateway.launch();
    const keys = announcedKeys();
    expect(keys.origin).toBe('example.org/gateway');
    expect(keys.verifiers[0]).toEqual(
      parseVerifierKey(verifierKey({ name: 'example.org/gateway', key: signingKey(privateKey) })),
    );
    const after = await checkpoint();
    const { text: note } = await gateway.get('/v1/audit/ledger/checkpoint');
    expect(openNote(note, keys.verifiers).signedBy).toHaveLength(2);
    const { verifier_keys } = (await gateway.get('/v1/audit/ledger/keys')).body;
    expect(verifier_keys.map(parseVerifierKey)).toEqual(keys.verifiers);
    expect(openNote(note, old).signedBy).toHaveLength(0);
    const { body } = await gateway.get(`/v1/audit/ledger/proof?from=${before.size}&to=${after.size}`);
    expect(
      provesConsistency(
        before,
        after,
        body.path.map((hash: string) => Buffer.from(hash, 'base64')),
      ),
    ).toBe(true);
  });
});

describe('a signing key that was lost', () => {
  it('is not replaced: the start is refused with the remedy; a configured key continues the ledger', async () => {
    const gateway = await TestGateway.start({ here: true, config: echoConfig() });
    try {
      const before = (await gateway.ledger()).length;
      await gateway.stop();
      await rm(join(gateway.folder, 'runs-db.key'));
      await expect(gateway.launch()).rejects.toThrow(/^svc: .*runs-db\.key.*ledger\.signing_keys.*$/m);
      await expect(stat(join(gateway.folder, 'runs-db.key'))).rejects.toThrow('ENOENT');

      const { privateKey } = generateKeyPairSync('ed25519');
      await writeFile(join(gateway.folder, 'new.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
      const text = JSON.parse(await readFile(join(gateway.folder, 'svc.yaml'), 'utf8'));
      await gateway.configure({ ...text, ledger: { signing_keys: ['secret://file/new.key#pem'] } });
      await gateway.launch();
      expect(gateway.output).toContain('"event":"ledger_key_changed"');
      // The refused start has sealed nothing.
      expect(await gateway.ledger()).toHaveLength(2 * before);
    } finally {
      await gateway.dispose();
    }
  });
});

describe('ledger.pinned_checkpoint_file', () => {
  it('refuses a ledger that was replaced by an older copy, and reports this', async () => {
    const guarded = await TestGateway.start({
      here: true,
      config: echoConfig({ ledger: { pinned_checkpoint_file: 'guard.note' } }),
    });
    try {
      const runs_db = join(guarded.folder, 'runs-db');
      await guarded.stop();
      await cp(runs_db, `${runs_db}.old`, { recursive: true });
      await guarded.launch();
      await guarded.chat('hello');
      await guarded.stop();
      await rm(runs_db, { recursive: true });
      await cp(`${runs_db}.old`, runs_db, { recursive: true });
      await expect(guarded.launch()).rejects.toThrow(/an older copy of .* was restored.*ledger\.pinned_checkpoint_file has \d+/);
    } finally {
      await guarded.dispose();
    }
  });
});
