import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort, Processes } from '../bench/processes.ts';
import { fencesOf } from '../docs/fences.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

/** Of building it. */
const LONG = 900_000;
const MODULE = 'github.com/open-policy-agent/opa@v1.22.3';
/** Kept from one run to the next. */
const FOLDER = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'svc-bench', 'opa-1.22.3');

/** Builds it once. @returns why that is not possible; null: it is there */
function whyMissing(): string | null {
  if (existsSync(join(FOLDER, 'opa'))) return null;
  if (spawnSync('go', ['version']).status !== 0) return 'there is no Go';
  mkdirSync(FOLDER, { recursive: true });
  try {
    execFileSync('go', ['install', MODULE], { env: { ...process.env, GOBIN: FOLDER, GOTOOLCHAIN: 'local' }, stdio: 'pipe' });
    return null;
  } catch {
    return 'Go is too old, or reaches no module proxy';
  }
}

describe('the guard opa, with Open Policy Agent', { timeout: LONG }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-opa-'));
  const processes = new Processes(folder, false);
  let missing: string | null = null;
  let gateway: TestGateway;

  beforeAll(async () => {
    missing = whyMissing();
    if (missing !== null) return;
    const [policy] = fencesOf('plugins/guard-opa/README.md').filter(({ language }) => language === 'rego');
    writeFileSync(join(folder, 'policy.rego'), policy?.text ?? '');
    writeFileSync(join(folder, 'more.rego'), 'package more\n\nok if input.principal == "alice"\n\nodd := "yes"\n');
    const port = await freePort();
    const args = ['run', '--server', '--addr', `127.0.0.1:${port}`, '--disable-telemetry', folder];
    await processes.serve('load', 'opa', port, args, { program: join(FOLDER, 'opa') });
    const pack = (path: string) => ({ type: 'opa', base_url: `http://127.0.0.1:${port}`, path });
    const route = (name: string) => ({ provider: 'local', model: 'echo-1', pipeline: { ingress: [name], egress: [] } });
    gateway = await TestGateway.start({
      here: true,
      config: echoConfig({
        packs: { decision: pack('gateway/decision'), ok: pack('more/ok'), odd: pack('more/odd') },
        routes: { decision: route('decision'), ok: route('ok'), odd: route('odd') },
      }),
    });
  }, LONG);
  afterAll(async () => {
    processes.end();
    await gateway?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''));

  it.each([
    ['decision', 'alice', 'hello', 'allow', null],
    ['decision', 'alice', 'about Phoenix', 'block', 'project-names'],
    ['ok', 'alice', 'hello', 'allow', null],
    ['ok', 'bob', 'hello', 'block', 'undefined'],
    ['odd', 'alice', 'hello', 'block', 'SVC-NODE-001'],
  ])('the rule %s for %s and %j gives %s', async (route, principal, text, verdict, code) => {
    const { body } = await gateway.post('/v1/guard', { route, text }, principal);
    expect([body.verdict, body.code]).toEqual([verdict, code]);
    if (code === 'project-names') expect(body.hint).toBe('Leave out project names.');
  });

  it('the record says what the policy looked at', async () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const body = { messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }, image] }] };
    const { run_id } = (await gateway.post('/v1/guard', { route: 'decision', body, evidence: true })).body;
    const record = (await gateway.ledger()).findLast((each) => each.run_id === run_id);
    const scanned = { segments: 1, characters: 5, skipped: [{ path: 'messages.0.content.1.image_url.url', why: 'image' }] };
    expect(record?.events).toContainEqual(
      expect.objectContaining({ event_type: 'verdict', data: expect.objectContaining({ scanned }) }),
    );
  });
});
