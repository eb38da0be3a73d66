import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { go, skipsGo } from '../harness/go.ts';

const run = promisify(execFile);
/** Where the generators are installed, and with them the TypeScript that they need. */
const CLIENTS = join(import.meta.dirname, '..', 'clients');
const OPENAPI = join(import.meta.dirname, '..', '..', 'openapi.json');
const STRICT = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    types: [],
    outDir: 'out',
  },
  include: ['**/*.ts'],
};

describe('a client that is generated from openapi.json', { timeout: 120_000 }, () => {
  let folder: string;
  let gateway: TestGateway;
  beforeAll(async () => {
    // Beside the generators, so that what is compiled finds their packages.
    folder = mkdtempSync(join(CLIENTS, 'generated-'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(STRICT));
    gateway = await TestGateway.start({ here: true, config: echoConfig() });
  });
  afterAll(async () => {
    await gateway.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Compiles the folder under strict, then runs its `main.ts` against the gateway. */
  async function compileAndRun(main: string): Promise<unknown> {
    writeFileSync(join(folder, 'main.ts'), main);
    const tsc = join(CLIENTS, 'node_modules', 'typescript', 'bin', 'tsc');
    // What it finds wrong it says on stdout.
    const found = await run(process.execPath, [tsc, '-p', folder]).catch((error: { stdout: string }) => error);
    expect(found.stdout).toBe('');
    const env = { ...process.env, SVC_URL: gateway.url, SVC_KEY: gateway.key('alice') };
    const { stdout } = await run(process.execPath, [join(folder, 'out', 'main.js')], { env });
    return JSON.parse(stdout);
  }

  it('by @hey-api/openapi-ts compiles in strict mode and calls the server', async () => {
    const cli = join(CLIENTS, 'node_modules', '@hey-api', 'openapi-ts', 'bin', 'run.js');
    await run(process.execPath, [cli, '-i', OPENAPI, '-o', join(folder, 'client'), '-c', '@hey-api/client-fetch'], {
      cwd: folder,
    });
    const told = await compileAndRun(`
      import { client } from './client/client.gen.js';
      import { createChatCompletion, createRun, getRun, listLedgerRecords, listModels } from './client/index.js';
      declare const process: { env: Record<string, string> };
      declare const console: { log(text: string): void };
      client.setConfig({ baseUrl: process.env.SVC_URL ?? '', auth: () => process.env.SVC_KEY ?? '' });
      const messages = [{ role: 'user', content: 'hello' }];
      const chat = await createChatCompletion({ body: { model: 'default', messages }, throwOnError: true });
      const created = await createRun({ body: { route: 'default', messages }, throwOnError: true });
      const run = await getRun({ path: { run_id: created.data.run_id }, throwOnError: true });
      const ledger = await listLedgerRecords({ query: { since_seq: 1 }, throwOnError: true });
      const models = await listModels({ throwOnError: true });
      const refused = await getRun({ path: { run_id: '00000000-0000-7000-8000-000000000000' } });
      console.log(JSON.stringify([
        chat.data.choices[0]?.message.content, run.data.status, ledger.data.records.map(({ seq }) => seq),
        models.data.data.map(({ id }) => id), refused.error?.code,
      ]));`);
    expect(told).toEqual(['echo: hello', 'completed', [2, 3], ['default'], 'SVC-RUN-001']);
  });

  it('by openapi-typescript, on openapi-fetch, compiles in strict mode and calls the server', async () => {
    const cli = join(CLIENTS, 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
    // In the root it would read redocly.yaml.
    await run(process.execPath, [cli, OPENAPI, '-o', 'openapi.ts'], { cwd: folder });
    const told = await compileAndRun(`
      import createClient from 'openapi-fetch';
      import type { components, paths } from './openapi.js';
      declare const process: { env: Record<string, string> };
      declare const console: { log(text: string): void };
      const client = createClient<paths>({
        baseUrl: process.env.SVC_URL ?? '',
        headers: { authorization: 'Bearer ' + process.env.SVC_KEY },
      });
      const messages = [{ role: 'user', content: 'hello' }];
      const chat = await client.POST('/v1/chat/completions', { body: { model: 'default', messages } });
      const created = await client.POST('/v1/runs', { body: { messages } });
      const run_id = created.data?.run_id ?? '';
      const run = await client.GET('/v1/runs/{run_id}', { params: { path: { run_id } } });
      const ledger = await client.GET('/v1/audit/ledger', { params: { query: { limit: 1 } } });
      const refused = await client.POST('/v1/runs/{run_id}/resume', { params: { path: { run_id } }, body: { decision: 'approved' } });
      console.log(JSON.stringify([
        (chat.data as components['schemas']['ChatCompletion']).choices[0]?.message.content, run.data?.status, ledger.data?.records.map(({ seq }) => seq), refused.error?.code,
      ]));`);
    expect(told).toEqual(['echo: hello', 'completed', [1], 'SVC-RUN-002']);
  });
});

describe.skipIf(skipsGo('the client in Go'))('a client in Go', () => {
  let folder: string;
  let gateway: TestGateway;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-go-'));
    cpSync(join(CLIENTS, 'go'), folder, { recursive: true });
    gateway = await TestGateway.start({ here: true, config: echoConfig() });
  });
  afterAll(async () => {
    await gateway.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it('by oapi-codegen compiles and calls the server', { timeout: 900_000 }, async () => {
    mkdirSync(join(folder, 'api'));
    await go(folder, ['tool', 'oapi-codegen', '-generate', 'types,client', '-package', 'api', '-o', 'api/api.go', OPENAPI]);
    expect((await go(folder, ['run', '.'], { SVC_URL: gateway.url, SVC_KEY: gateway.key('alice') })).stdout).toBe(
      'completed echo: hello SVC-RUN-001\n',
    );
  });
});
