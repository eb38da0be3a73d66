import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { echoConfig, MAIN, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
beforeEach(async () => {
  const rag = { vectors: { type: 'local' }, embedder: { type: 'local' } };
  gateway = await TestGateway.start({ config: echoConfig({ ledger: { pinned_checkpoint_file: 'guard' }, rag }), here: true });
});
afterEach(() => gateway.dispose());

async function svc(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: gateway.folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: child.exitCode, stdout, stderr };
}

/** In the place of the runs-db, beside which its signing key lies. */
async function restore(copy: string): Promise<void> {
  await rm(join(gateway.folder, 'runs-db'), { recursive: true });
  await rename(join(gateway.folder, copy), join(gateway.folder, 'runs-db'));
}

/** Chats, several at once, until it is stopped; the ids of the runs that were answered. */
function load(): { stop(): Promise<string[]>; answered(count: number): Promise<void> } {
  const run_ids: string[] = [];
  let wanted = 0;
  let reached: () => void = () => undefined;
  let on = true;
  const callers = Array.from({ length: 8 }, async () => {
    while (on) {
      const { status, headers } = await gateway.chat('hello');
      expect(status).toBe(200);
      run_ids.push(headers.get('x-svc-run-id') ?? '');
      if (run_ids.length >= wanted) reached();
    }
  });
  return {
    stop: async () => {
      on = false;
      await Promise.all(callers);
      return run_ids;
    },
    answered: (count) => {
      wanted = run_ids.length + count;
      return new Promise((resolve) => {
        reached = resolve;
      });
    },
  };
}

it('a backup under load is complete, is a prefix of the ledger, and can be continued', async () => {
  const paused = (await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'a wire transfer' }] })).body.run_id;
  const work = load();
  await work.answered(100);
  const checkpoint = (await gateway.get('/v1/audit/ledger/checkpoint')).text;
  const { code, stdout, stderr } = await svc('backup', 'copy', '--json');
  expect(code, stderr).toBe(0);
  await work.answered(50);
  const run_ids = await work.stop();
  const copied = JSON.parse(stdout);
  const ledger = await gateway.ledger();
  const [, size = ''] = checkpoint.split('\n');
  expect(copied).toMatchObject({ fault: null });
  expect(copied.records).toBeGreaterThanOrEqual(Number(size));
  expect(copied.records).toBeLessThan(ledger.length);
  expect(ledger[copied.records - 1]?.hash).toBe(copied.head);
  // Nothing went wrong for anybody meanwhile.
  const sealed = new Set(ledger.map(({ run_id }) => run_id));
  expect(run_ids.filter((run_id) => !sealed.has(run_id))).toEqual([]);

  await gateway.stop();
  await restore('copy');
  for (const name of ['guard', 'guard.operations']) await rm(join(gateway.folder, name));
  await gateway.launch();
  const restored = await gateway.ledger();
  expect(restored.slice(0, copied.records)).toEqual(ledger.slice(0, copied.records));
  // At the start, one inventory record for each route, and the end of runs that had only started.
  const [inventory, interrupted] = ['model_inventory', 'run_evidence'].map((type) =>
    restored.slice(copied.records).filter(({ record_type }) => record_type === type),
  );
  expect(inventory).toHaveLength(1);
  expect(interrupted?.every(({ status }) => status === 'error')).toBe(true);
  const resumed = await gateway.post(`/v1/runs/${paused}/resume`, { decision: 'approved' }, 'bob');
  expect(resumed.body).toMatchObject({ status: 'completed', response: 'echo: a wire transfer' });
});

it('a server starts, and starts again, while a backup is being made', async () => {
  // The first in the process of the tests, those that are killed in their own.
  await gateway.chat('hello');
  await gateway.stop();
  gateway.here = false;
  await gateway.launch();
  const copies = Array.from({ length: 3 }, (_, n) => svc('backup', `copy-${n}`));
  for (let n = 0; n < 2; n += 1) {
    await gateway.stop('SIGKILL');
    await gateway.launch();
    expect((await gateway.chat('hello')).status).toBe(200);
  }
  for (const { code, stderr } of await Promise.all(copies)) expect(code, stderr).toBe(0);
});

it('an old backup is refused by the guard files, and served once they are removed', async () => {
  await gateway.chat('hello');
  expect((await svc('backup', 'copy')).code).toBe(0);
  for (let n = 0; n < 3; n += 1) await gateway.chat('more');
  expect(await gateway.stop()).toBe(0);
  await restore('copy');
  await expect(gateway.launch()).rejects.toThrow(/an older copy of .* was restored.*move .* away/);
  for (const name of ['guard', 'guard.operations']) await rm(join(gateway.folder, name));
  await gateway.launch();
  expect((await gateway.chat('hello')).status).toBe(200);
});

it('a target that is not empty, or a source that is not a runs-db, is left unchanged', async () => {
  await gateway.stop();
  await cp(join(gateway.folder, 'runs-db'), join(gateway.folder, 'taken'), { recursive: true });
  expect(await svc('backup', 'taken')).toMatchObject({ code: 1, stderr: expect.stringContaining('is not empty') });
  expect(await svc('ledger', 'verify', 'taken')).toMatchObject({ code: 3 });
  expect(await svc('backup', 'copy', '--runs-db', 'nowhere')).toMatchObject({ code: 1 });
  expect(await svc('ledger', 'verify', 'copy')).toMatchObject({ code: 1, stderr: expect.stringContaining('does not exist') });
});

it('documents are copied beside it while more are indexed and others deleted', async () => {
  const index = (from: number) => {
    const documents = Array.from({ length: 20 }, (_, n) => ({
      text: `holiday ${from + n} ${'x'.repeat(2000)}`,
      metadata: { n: from + n },
    }));
    return gateway.post('/v1/rag/index', { namespace: 'docs', documents });
  };
  const find = async (n: number): Promise<{ id: string }[]> =>
    (await gateway.post('/v1/rag/query', { namespace: 'docs', query: 'holiday', filter: { n } })).body.docs;
  await index(0);
  let on = true;
  const work = (async () => {
    for (let from = 20; on; from += 20) {
      expect((await index(from)).status).toBe(200);
      const ids = (await find(from)).map(({ id }) => id);
      expect((await gateway.post('/v1/rag/delete', { namespace: 'docs', ids })).body.deleted).toBe(1);
    }
  })();
  const { code, stdout, stderr } = await svc('backup', 'copy', '--json');
  on = false;
  await work;
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout).rag).toBe(join(gateway.folder, 'copy.rag'));
  expect((await svc('backup', 'copy')).code).toBe(1);
  await gateway.stop();
  await restore('copy');
  await rm(join(gateway.folder, 'runs-db.rag'), { recursive: true });
  await rename(join(gateway.folder, 'copy.rag'), join(gateway.folder, 'runs-db.rag'));
  // What was deleted behind the copy is on record, and the copy is older than that.
  await rm(join(gateway.folder, 'guard.operations'));
  await gateway.launch();
  for (const n of [0, 19]) expect(await find(n)).toHaveLength(1);
  expect((await index(0)).status).toBe(200);
});

it('only the owner can read a backup, whatever the umask and the modes of the source', async () => {
  await gateway.post('/v1/rag/index', { namespace: 'notes', documents: [{ text: 'one', metadata: {} }] });
  const documents = join(gateway.folder, 'runs-db.rag');
  await chmod(documents, 0o755);
  await mkdir(join(gateway.folder, 'copy'), { mode: 0o755 });
  const command = `umask 000; exec "${process.execPath}" "${MAIN}" backup copy --json`;
  const stdout = execFileSync('sh', ['-c', command], { cwd: gateway.folder, encoding: 'utf8', timeout: 20_000 });
  const { folder, rag } = JSON.parse(stdout);
  const places = [folder, rag].map((name: string) => resolve(gateway.folder, name));
  const made = await Promise.all(
    places.map(async (place) => [place, ...(await readdir(place, { recursive: true })).map((name) => join(place, name))]),
  );
  expect(made.flat().length).toBeGreaterThan(5);
  for (const path of made.flat()) {
    const found = await stat(path);
    expect(`${path} ${(found.mode & 0o777).toString(8)}`).toBe(`${path} ${found.isDirectory() ? '700' : '600'}`);
  }
});
