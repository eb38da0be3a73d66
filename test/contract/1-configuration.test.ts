import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import { SECRET, Sink } from '../../plugins/exporter-webhook/src/sink-fixture.ts';
import { echoConfig, type GatewayConfig, TestGateway } from '../harness/gateway.ts';

const open: TestGateway[] = [];
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway.dispose();
});

async function start(options: Parameters<typeof TestGateway.start>[0]): Promise<TestGateway> {
  const gateway = await TestGateway.start({ here: true, ...options });
  open.push(gateway);
  return gateway;
}

/** What the server says of a configuration that it must refuse, with its exit code. */
async function refused(config: GatewayConfig): Promise<string> {
  return start({ config, principals: [] }).then(
    () => 'it was served',
    (error: Error) => error.message,
  );
}

const REFUSED = 'ended with 1:';

describe('1 Configuration behaviours', () => {
  it('1 is built from one configuration file; health reports a digest of it', async () => {
    const gateway = await start({ config: echoConfig() });
    const bytes = readFileSync(join(gateway.folder, 'svc.yaml'));
    const { body } = await gateway.get('/v1/health');
    expect(body.config_digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
  });

  it('2 routes have owner, risk_rating and review_interval_days', async () => {
    const gateway = await start({ config: echoConfig() });
    const { body } = await gateway.get('/v1/routes');
    expect(body.routes[0]).toMatchObject({ name: 'default', owner: 'risk-team', risk_rating: 'high', review_interval_days: 90 });
  });

  it('3 PII masking masks only identifying entities by default; the others when listed; a value keeps its placeholder for the run', async () => {
    const said =
      'I am German. My name is Maria Keller, born 12 March 1980, mail maria.keller@example.com, page https://example.com/me, again Maria Keller. SIN 046 454 286';
    const route = { provider: 'local', model: 'echo-1' };
    const pipeline = (pack: string) => ({ ...route, pipeline: { ingress: [pack], egress: [] } });
    const listed = { type: 'pii', entities: ['DATE_TIME', 'URL', 'NRP', 'NATIONAL_INSURANCE_NUMBER'] };
    const routes = { listed: pipeline('listed'), byDefault: pipeline('pii') };
    const gateway = await start({ config: echoConfig({ packs: { pii: {}, listed }, routes }) });
    const masked = (await gateway.chat(said, { model: 'byDefault' })).body.choices[0].message.content;
    expect(masked).toBe(
      'echo: I am German. My name is <PERSON_1>, born 12 March 1980, mail <EMAIL_ADDRESS_1>, page https://example.com/me, again <PERSON_1>. SIN 046 454 286',
    );
    const others = (await gateway.chat(said, { model: 'listed' })).body.choices[0].message.content;
    expect(others).toContain('Maria Keller');
    for (const gone of ['German', '12 March 1980', 'https://example.com/me', '046 454 286']) expect(others).not.toContain(gone);
  });

  it('4 budgets must be listed in both stages; the egress half records spend', async () => {
    const packs = {
      budget: { limits: [{ scope: 'principal', unit: 'tokens', amount: 20, period: 'month' }], default_output_tokens: 1 },
    };
    const asking = (pipeline: JsonObject) =>
      echoConfig({ packs, routes: { default: { provider: 'local', model: 'echo-1', pipeline } } });
    for (const pipeline of [
      { ingress: ['budget'], egress: [] },
      { ingress: [], egress: ['budget'] },
    ]) {
      const said = await refused(asking(pipeline));
      for (const part of [REFUSED, 'SVC-POL-003']) expect(said).toContain(part);
    }
    const gateway = await start({ config: asking({ ingress: ['budget'], egress: ['budget'] }) });
    expect((await gateway.chat('a b c d e')).body.usage.total_tokens).toBeGreaterThan(10);
    expect((await gateway.chat('a')).body.choices[0].finish_reason).toBe('content_filter');
  });
  it.each([
    [false, 'blocked'],
    [true, 'paused'],
  ])('5 residency with require_approval: %s: a run outside is %s', async (require_approval, status) => {
    const packs = { residency: { allowed_regions: ['us'], require_approval } };
    const pipeline = { ingress: ['residency'], egress: [] };
    const gateway = await start({
      config: echoConfig({ packs, routes: { default: { provider: 'local', model: 'echo-1', pipeline } } }),
    });
    const { run_id } = (await gateway.post('/v1/runs', { messages: [{ role: 'user', content: 'hello' }] })).body;
    expect((await gateway.get(`/v1/runs/${run_id}`)).body.status).toBe(status);
  });

  it('6 a streaming route buffers the whole response when an egress node declares no stream', async () => {
    const gateway = await start({ config: echoConfig() });
    const { text } = await gateway.chat('my account is ACC-', {
      stream: true,
      messages: [{ role: 'user', content: 'ACC-12345 and more' }],
    });
    expect(text).not.toContain('ACC-1');
    expect(text).toContain('<ACCOUNT> and more');
  });

  it.each(['tool_call', 'tool_result'])('7 refuses to start when pipeline.%s is set', async (stage) => {
    const config = echoConfig({
      routes: { default: { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: [], [stage]: ['mask'] } } },
    });
    const said = await refused(config);
    for (const part of [REFUSED, 'SVC-POL-004', `routes.default.pipeline.${stage}`]) expect(said).toContain(part);
  });

  it('8 secret references must include #key; the key is ignored by the environment backend', async () => {
    const withKey = (api_key: string) =>
      echoConfig({ providers: { upstream: { type: 'openai', base_url: 'http://127.0.0.1:9/v1', api_key } } });
    const said = await refused(withKey('secret://env/SVC_TEST_SECRET'));
    for (const part of [REFUSED, '#']) expect(said).toContain(part);
    const gateway = await start({
      config: withKey('secret://env/SVC_TEST_SECRET#ignored'),
      env: { SVC_TEST_SECRET: 'hush-hush-value' },
    });
    expect((await gateway.get('/v1/health')).body.status).toBe('ok');
    expect(gateway.output).not.toContain('hush-hush-value');
  });

  it('9 --no-auth disables authentication; approvers still bind and foreign origins are refused', async () => {
    const bounded = { provider: 'local', model: 'echo-1', approvers: ['bob'], pipeline: { ingress: ['policy'], egress: [] } };
    const gateway = await start({ config: echoConfig({ routes: { bounded } }), args: ['--no-auth'] });
    const chat = { model: 'bounded', messages: [{ role: 'user', content: 'a wire transfer' }] };
    const { body } = await gateway.post('/v1/chat/completions', chat, null);
    expect((await gateway.get(`/v1/runs/${body.svc_run_id}`, null)).body.principal_id).toBe('anonymous');
    expect(await gateway.post(`/v1/runs/${body.svc_run_id}/resume`, { decision: 'approved' }, null)).toMatchObject({
      status: 403,
      body: { code: 'SVC-AUTH-003' },
    });
    const foreign = { principal: null, headers: { origin: 'https://evil.example' } };
    expect(await gateway.request('GET', '/v1/models', foreign)).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
    const own = { principal: null, headers: { origin: gateway.url } };
    expect((await gateway.request('GET', '/v1/models', own)).status).toBe(200);
  });

  it('9 --runs-db keeps runs, event logs and paused approvals across a restart', async () => {
    const gateway = await start({ config: echoConfig() });
    const paused = (await gateway.chat('a wire transfer')).body.svc_run_id;
    const done = (await gateway.chat('hello')).headers.get('x-svc-run-id');
    const before = (await gateway.get(`/v1/runs/${done}`)).body;
    await gateway.stop();
    await gateway.launch();
    expect((await gateway.get(`/v1/runs/${done}`)).body).toEqual(before);
    expect((await gateway.post(`/v1/runs/${paused}/resume`, { decision: 'approved' }, 'bob')).body.status).toBe('completed');
  });

  it('9 without --runs-db it warns that nothing survives a restart', async () => {
    const gateway = await start({ config: echoConfig(), args: [] });
    expect(gateway.output).toContain('"event":"temporary_runs_db"');
    await gateway.chat('hello');
    await gateway.stop();
    await gateway.launch();
    expect((await gateway.ledger()).map(({ record_type }) => record_type)).toEqual(['model_inventory']);
  });
  it('10 webhook is built in', async () => {
    const sink = await new Sink().listen();
    try {
      const secret = 'secret://env/HOOK_SECRET#value';
      const exporters = [{ type: 'webhook', url: sink.url, secret, allow_private: true }];
      const gateway = await start({ config: echoConfig({ exporters }), env: { HOOK_SECRET: SECRET } });
      for (const content of ['hello', 'forbidden']) await gateway.chat(content);
      const records = await gateway.ledger();
      await expect.poll(() => sink.kept.length).toBe(records.length);
      expect(sink.kept.map((record) => JSON.parse(record))).toEqual(records);
    } finally {
      await sink.close();
    }
  });

  it.each([
    ['a secret that cannot sign', { url: 'https://siem.example', secret: 'too short' }, 'secret: must be whsec_'],
    ['a private address', { url: 'https://10.0.0.1', secret: SECRET }, 'allow_private'],
    ['an unknown option', { url: 'https://siem.example', secret: SECRET, retries: 3 }, 'retries'],
  ])('10 webhook refuses %s at start', async (_, options, remedy) => {
    const said = await refused({ ...echoConfig(), exporters: [{ type: 'webhook', ...options }] });
    for (const part of [REFUSED, remedy]) expect(said).toContain(part);
    expect(said).not.toContain(options.secret);
  });

  it('10 exporters lists destinations for every ledger record, jsonl among them', async () => {
    const gateway = await start({ config: echoConfig({ exporters: [{ type: 'jsonl', path: './evidence.jsonl' }] }) });
    for (const content of ['hello', 'forbidden']) await gateway.chat(content);
    const records = await gateway.ledger();
    const file = join(gateway.folder, 'evidence.jsonl');
    const lines = async () => (await readFile(file, 'utf8')).trim().split('\n');
    await expect.poll(async () => (await lines()).length).toBe(records.length);
    expect((await lines()).map((line) => JSON.parse(line))).toEqual(records);
  });

  it('10 an exporter type that is not installed is refused', async () => {
    const said = await refused({ ...echoConfig(), exporters: [{ type: 'kafka', url: 'https://siem.example/hook' }] });
    for (const part of [REFUSED, 'SVC-POL-006']) expect(said).toContain(part);
  });
});
