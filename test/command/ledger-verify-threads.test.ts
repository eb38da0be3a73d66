import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chain, evidence, inventory } from '../harness/evidence.ts';
import { MAIN } from '../harness/gateway.ts';

const [REFUSED, SELF_ATTESTED, BROKEN] = [1, 3, 4];
const RECORDS = 6000;

const records = chain([inventory(), ...Array.from({ length: RECORDS - 1 }, (_, n) => evidence(n))]).map(({ bytes }) => bytes);

/** Code that ends every thread of the command at its 500th record, with the exit code of success. */
const DEADLY = `import { isMainThread } from 'node:worker_threads';
if (!isMainThread) {
  const parse = JSON.parse;
  let count = 0;
  JSON.parse = (text) => (++count === 500 ? process.exit(0) : parse(text));
}`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-command-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function verify(source: string, env: Record<string, string> = {}): Promise<{ code: unknown; stdout: string }> {
  const args = [MAIN, 'ledger', 'verify', source, '--json'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env: { ...process.env, ...env } }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    );
  });
}

function fileOf(some: readonly string[]): string {
  const file = join(folder, 'ledger.jsonl');
  writeFileSync(file, some.map((record) => `${record}\n`).join(''));
  return file;
}

describe('svc ledger verify of many records', () => {
  it('reports an intact file as intact', async () => {
    const { code, stdout } = await verify(fileOf(records));
    expect(code).toBe(SELF_ATTESTED);
    expect(JSON.parse(stdout)).toMatchObject({ records: RECORDS, evidence: RECORDS - 1, fault: null });
  });

  it.each<[string, readonly string[], object]>([
    ['altered', records.with(4999, records[4999]?.replace('"chat"', '"cat"') ?? ''), { seq: 5000, why: 'wrong_hash' }],
    ['missing', records.toSpliced(3000, 1), { seq: 3001, why: 'wrong_seq' }],
    ['torn', records.with(5999, records[5999]?.slice(0, 700) ?? ''), { seq: 6000, why: 'not_json' }],
    ['altered before another', records.with(5500, '{}').with(2500, '[]'), { seq: 2501, why: 'not_json' }],
  ])('finds the first that is %s', async (_, some, fault) => {
    const { code, stdout } = await verify(fileOf(some));
    expect(code).toBe(BROKEN);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'broken', fault });
  });

  it('of a server reports them as intact', async () => {
    let sent = records;
    const server = createServer(({ url = '' }, response) => {
      const since = Number(new URL(url, 'http://x').searchParams.get('since_seq') ?? 0);
      if (url.endsWith('/checkpoint')) return response.writeHead(503).end();
      if (since + 1000 < RECORDS) response.setHeader('link', `</v1/audit/ledger?since_seq=${since + 1000}>; rel="next"`);
      return response.end(`{"records":[${sent.slice(since, since + 1000).join(',')}]}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      // It does not say where its ledger ends: that is told once its records are found whole, and not before.
      expect((await verify(url)).code).toBe(REFUSED);
      sent = records.with(5800, '{}');
      expect((await verify(url)).code).toBe(BROKEN);
    } finally {
      server.close();
    }
  });
});

describe('if threads die, svc ledger verify', () => {
  const env = { NODE_OPTIONS: `--import ${JSON.stringify(`data:text/javascript,${encodeURIComponent(DEADLY)}`)}` };

  it('fails without a verdict on the ledger', async () => {
    expect(await verify(fileOf(records.slice(0, 5000)), env)).toEqual({ code: REFUSED, stdout: '' });
  });

  it('of few records needs no threads', async () => {
    expect((await verify(fileOf(records.slice(0, 2000)), env)).code).toBe(SELF_ATTESTED);
  });
});
