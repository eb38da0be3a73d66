import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SCHEMA } from '../../plugins/store-lmdb/src/tables/schema.ts';
import { MAIN, parsed } from '../harness/gateway.ts';
import { GatewayHere } from '../harness/gateway-here.ts';

const STORED = join(import.meta.dirname, '..', 'fixtures', 'stored');
const SCHEMAS = readdirSync(STORED).flatMap((name) => /^schema-(\d+)\.tar\.gz$/.exec(name)?.[1] ?? []);

/** A copy of the folder that a gateway left, with the keys and the configuration of then. */
function stored(schema: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-stored-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync('tar', ['-xzf', join(STORED, `schema-${schema}.tar.gz`), '-C', folder]);
  const file = join(folder, 'svc.yaml');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace(/^server: \{.*$/m, 'server: { drain_delay: 0s }'));
  return folder;
}

type Ask = (path: string, body?: object, key_file?: string) => Promise<unknown>;

/** Starts this version in the folder and asks it. Returns its log. */
async function serving(folder: string, work: (ask: Ask) => Promise<void>): Promise<string> {
  const lines: string[] = [];
  const args = ['--config', join(folder, 'svc.yaml'), '--runs-db', join(folder, 'runs-db'), '--port', '0'];
  const gateway = await GatewayHere.start(args, {}, (line) => lines.push(line));
  const ask: Ask = async (path, body, key_file = 'svc.key') => {
    const authorization = `Bearer ${readFileSync(join(folder, key_file), 'utf8').trim()}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return parsed(await (await fetch(`${gateway.url}${path}`, { headers, ...sent })).text());
  };
  try {
    await work(ask);
  } finally {
    await gateway.dispose();
  }
  return lines.join('');
}

const verify = (folder: string) => spawnSync(process.execPath, [MAIN, 'ledger', 'verify', join(folder, 'runs-db')]).status;

interface Ledger {
  readonly records: readonly { readonly type: string; readonly run_id?: string }[];
}
interface Runs {
  readonly runs: readonly { readonly run_id: string; readonly status: string }[];
}

it('a folder of every schema is kept', () => {
  expect(SCHEMAS.map(Number).sort()).toEqual(Array.from({ length: SCHEMA }, (_, n) => n + 1));
});

describe.each(SCHEMAS)('a stored folder of schema %s', (schema) => {
  it('opens with its runs, its content and its ledger, and goes on', async () => {
    const folder = stored(schema);
    let before: Ledger | undefined;
    const log = await serving(folder, async (ask) => {
      before = (await ask('/v1/audit/ledger?limit=100')) as Ledger;
      const { runs } = (await ask('/v1/audit?limit=10')) as Runs;
      expect(runs.map(({ status }) => status).sort()).toEqual(['blocked', 'completed', 'completed', 'paused']);
      const paused = runs.find(({ status }) => status === 'paused')?.run_id;
      // Approves what this folder keeps encrypted. The caller cannot approve its own request where `self_approval` is false.
      const approver = existsSync(join(folder, 'approver.key')) ? 'approver.key' : 'svc.key';
      const { digest } = (await ask(`/v1/runs/${paused}/pending`, undefined, approver)) as { digest: string };
      await ask(`/v1/runs/${paused}/resume`, { decision: 'approved', digest }, approver);
      const response = { status: 'completed', response: 'echo: Please make a wire transfer.' };
      expect(await ask(`/v1/runs/${paused}/response`)).toMatchObject(response);
      const message = { role: 'user', content: 'Hello.' };
      expect(await ask('/v1/chat/completions', { model: 'default', messages: [message] })).toMatchObject({
        choices: [{ message: { content: 'echo: Hello.' } }],
      });
    });
    expect(log.includes('"event":"store_upgrading"')).toBe(Number(schema) < SCHEMA);
    expect(verify(folder)).toBe(3);
    const again = await serving(folder, async (ask) => {
      const { records } = (await ask('/v1/audit/ledger?limit=100')) as Ledger;
      expect(records.slice(0, before?.records.length)).toEqual(before?.records);
      expect(records.length).toBeGreaterThan(before?.records.length ?? 0);
    });
    expect(again).not.toContain('"event":"store_upgrading"');
  });
});

it('a folder of a newer schema is refused, unchanged', async () => {
  const folder = stored(String(SCHEMA));
  const runs_db = join(folder, 'runs-db');
  const env = open<string, string>({ path: runs_db, noSubdir: false, encoding: 'string', overlappingSync: false });
  await env.put('schema', String(SCHEMA + 1));
  await env.close();
  const digests = () =>
    ['data.mdb', 'commits.log'].map((name) =>
      createHash('sha256')
        .update(readFileSync(join(runs_db, name)))
        .digest('hex'),
    );
  const before = digests();
  const serve = spawnSync(process.execPath, [MAIN, 'serve', '--port', '0', '--runs-db', 'runs-db'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect(serve).toMatchObject({ status: 1, stderr: expect.stringMatching(new RegExp(`schema ${SCHEMA + 1}.*backup`)) });
  expect(digests()).toEqual(before);
});
