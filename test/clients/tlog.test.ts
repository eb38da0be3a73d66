import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canonicalJson, EMPTY_ROOT, type Hash, leafHash, provesConsistency, provesInclusion } from '@svc/ledger';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';
import { go, skipsGo } from '../harness/go.ts';
import { PythonEnvironment, skipsPython, whyOffline } from '../harness/python.ts';

const run = promisify(execFile);
const MODULE = join(import.meta.dirname, 'tlog');
/** Building Tessera and litewitness for the first time takes minutes. */
const LONG = 900_000;
const RUNS = 300;
const FSCK_MS = 20_000;

/** Each file of a folder of tiles, with one bit of it changed in turn. */
async function eachChanged(tiles: string, check: (path: string) => Promise<boolean>): Promise<void> {
  const found = await readdir(tiles, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  expect(files.length).toBeGreaterThan(5);
  for (const file of files) {
    const bytes = await readFile(file);
    const at = file.endsWith('checkpoint') ? bytes.lastIndexOf('\n', bytes.length - 2) - 20 : Math.floor(bytes.length / 2);
    await writeFile(file, bytes.with(at, (bytes[at] ?? 0) ^ 1));
    expect([file, await check(file)]).toEqual([file, false]);
    await writeFile(file, bytes);
  }
  expect(await check('')).toBe(true);
}

function sizeIn(checkpoint: string): number {
  return Number(readFileSync(checkpoint, 'utf8').split('\n')[1]);
}

describe('verifiers of others read the tiles of a ledger', { timeout: LONG }, () => {
  let gateway: TestGateway;
  let folder: string;
  let tiles: string;
  let vkey: string;
  beforeAll(async () => {
    gateway = await TestGateway.start({ here: true, config: echoConfig({ exporters: [{ type: 'tiles', path: './exported' }] }) });
    folder = mkdtempSync(join(tmpdir(), 'svc-tlog-'));
    tiles = join(folder, 'tiles');
    const env = { ...process.env, SVC_KEY: gateway.key('alice') };
    for (const runs of [30, RUNS]) {
      for (let done = 0; done < runs; done += 30) await Promise.all(Array.from({ length: 30 }, () => gateway.chat('hello')));
      const { stdout } = await run(process.execPath, [MAIN, 'ledger', 'tiles', tiles, '--server', gateway.url, '--json'], {
        env,
      });
      expect(JSON.parse(stdout)).toMatchObject({ added: expect.toSatisfy((added) => added >= runs) });
    }
    vkey = (await gateway.get('/v1/audit/ledger/keys')).body.verifier_keys[0];
    writeFileSync(join(folder, 'ledger.vkey'), vkey);
  }, LONG);
  afterAll(async () => {
    await gateway?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  describe.skipIf(skipsGo('fsck of Tessera'))('fsck of Tessera', () => {
    let bin: string;
    beforeAll(async () => {
      bin = join(folder, 'fsck');
      await go(MODULE, ['build', '-o', bin, 'github.com/transparency-dev/tessera/cmd/fsck']);
    }, LONG);

    /** fsck exits with 0 whatever it finds, and with one worker it does not end after some faults. */
    async function accepts(url: string, ...options: string[]): Promise<boolean> {
      const key = join(folder, 'ledger.vkey');
      const args = ['--N=4', '--ui=false', '-v=1', '-logtostderr', '--public_key', key, '--storage_url', url, ...options];
      const { stderr } = await run(bin, args, { timeout: FSCK_MS }).catch((error: { stderr: string }) => error);
      return stderr.includes("Successfully fsck'd log");
    }

    it('accepts the folder of svc ledger tiles, and refuses it if one bit of a file is changed', async () => {
      await eachChanged(tiles, () => accepts(`file://${tiles}/`));
    });

    it('accepts the tiles of the server', async () => {
      expect(await accepts(`${gateway.url}/v1/audit/ledger/`, '--bearer_token', gateway.key('alice'))).toBe(true);
    });

    it('accepts the folder of the exporter', async () => {
      const size = (await gateway.get('/v1/audit/report')).body.chain_length;
      const exported = join(gateway.folder, 'exported');
      const published = () => (existsSync(join(exported, 'checkpoint')) ? sizeIn(join(exported, 'checkpoint')) : 0);
      await expect.poll(published, { timeout: 60_000 }).toBe(size);
      const copy = join(folder, 'exported');
      cpSync(exported, copy, { recursive: true });
      expect(await accepts(`file://${copy}/`)).toBe(true);
    });
  });

  describe.skipIf(skipsPython('aics-tlog', '3.11'))('aics-tlog', () => {
    let environment: PythonEnvironment;
    let offline = '';
    beforeAll(async () => {
      environment = await PythonEnvironment.create('3.11');
      // The package asks for Python 3.12. The part that this test uses runs on Debian's 3.11 too.
      const needed = await environment.install('cryptography==50.0.2');
      const own = await environment.install('--no-deps', '--python-version', '3.12', 'aics-tlog==0.2.1');
      offline = whyOffline(needed) || whyOffline(own);
    }, LONG);
    afterAll(() => environment?.dispose());
    beforeEach(({ skip }) => skip(offline !== '', `no index can be reached: ${offline}`));

    it('accepts the folder, and refuses it if one bit of a file is changed', async () => {
      await eachChanged(tiles, async () => (await environment.run([join(MODULE, 'aics.py'), tiles, vkey])).code === 0);
    });
  });
});

interface Vectors {
  readonly leaves: readonly string[];
  readonly roots: readonly string[];
  readonly inclusion: readonly { readonly First: number; readonly Second: number; readonly Path: readonly string[] }[];
  readonly consistency: Vectors['inclusion'];
}

describe.skipIf(skipsGo('test vectors'))('test vectors of others', { timeout: LONG }, () => {
  it('transparency-dev/merkle: every proof is valid, and none is after one bit was changed', async () => {
    const vectors: Vectors = JSON.parse((await go(MODULE, ['run', './vectors'])).stdout);
    const bytes = (text: string): Hash => new Uint8Array(Buffer.from(text, 'base64'));
    const roots = vectors.roots.map(bytes);
    const leaves = vectors.leaves.map((leaf) => leafHash(bytes(leaf)));
    expect(roots[0]).toEqual(EMPTY_ROOT);
    const root = (size: number): Hash => roots[size] ?? new Uint8Array();
    const changed = (path: readonly Hash[], at: number) =>
      path.map((hash, i) => (i === at ? hash.with(9, (hash[9] ?? 0) ^ 1) : hash));
    expect(vectors.inclusion.length).toBe(36);
    for (const { First, Second, Path } of vectors.inclusion) {
      const path = Path.map(bytes);
      const isProof = (of: readonly Hash[]) =>
        provesInclusion(leaves[First] ?? new Uint8Array(), First, Second, of, root(Second));
      expect(isProof(path)).toBe(true);
      for (const at of path.keys()) expect(isProof(changed(path, at))).toBe(false);
    }
    for (const { First, Second, Path } of vectors.consistency) {
      const path = Path.map(bytes);
      const isProof = (of: readonly Hash[]) =>
        provesConsistency({ size: First, root: root(First) }, { size: Second, root: root(Second) }, of);
      expect(isProof(path)).toBe(true);
      for (const at of path.keys()) expect(isProof(changed(path, at))).toBe(false);
    }
  });

  it('RFC 8785: canonical JSON of the test data of its authors', async () => {
    const { Dir } = JSON.parse(
      (await go(MODULE, ['mod', 'download', '-json', 'github.com/cyberphone/json-canonicalization'])).stdout,
    );
    const data = (of: string, name: string) => readFileSync(join(Dir, 'testdata', of, name));
    const names = await readdir(join(Dir, 'testdata', 'input'));
    expect(names.length).toBeGreaterThan(5);
    for (const name of names)
      expect([name, canonicalJson(JSON.parse(data('input', name).toString()))]).toEqual([name, data('output', name).toString()]);
  });
});
