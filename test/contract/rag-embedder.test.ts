import type { JsonObject } from '@svc/contracts';
import { behaviours, startUpstream, UPSTREAM_MARKER } from '@svc/sdk/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayConfig } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { DOCUMENTS, RAG, ragConfig, start } from './rag-gateway.ts';

describe('if the embedder is unavailable', () => {
  it('index and query report it, and a route that needs it is blocked', async () => {
    const upstream = await startUpstream(behaviours.failure(503));
    onTestFinished(() => upstream.close());
    const embedder = { type: 'openai', base_url: upstream.url, model: 'embed-1', dimensions: 8 };
    const gateway = await start({ config: ragConfig({ embedder }) });
    const index = await gateway.post('/v1/rag/index', { namespace: 'n', documents: DOCUMENTS });
    const query = await gateway.post('/v1/rag/query', { namespace: 'n', query: 'kitchen' });
    for (const answer of [index, query]) {
      expect(answer).toMatchObject({ status: 502, body: { code: 'SVC-PROV-001' } });
      expect(answer.text).not.toContain(UPSTREAM_MARKER);
    }
    const { body } = await gateway.chat('kitchen', { model: 'asked' });
    expect(body.choices[0].finish_reason).toBe('content_filter');
    const { events } = (await gateway.get(`/v1/runs/${body.svc_run_id}`)).body;
    expect(events.find(({ node }: JsonObject) => node === 'docs').data).toMatchObject({ verdict: 'block', code: 'SVC-NODE-001' });
    const { text } = await gateway.get('/metrics', null);
    expect(text).toContain('svc_rag_duration_seconds_count{work="retrieve",outcome="failed"} 2');
    await gateway.stop();
    expect(gateway.output).toContain('"event":"embedder_failed"');
    expect(gateway.output).not.toContain(UPSTREAM_MARKER);
  });
});

describe('tokens of work whose embedder', () => {
  const LONG = 'word '.repeat(200);
  const WORK: readonly (readonly [work: 'index' | 'retrieve', path: string, body: JsonObject])[] = [
    ['index', '/v1/rag/index', { namespace: 'n', documents: [{ text: LONG }] }],
    ['retrieve', '/v1/rag/query', { namespace: 'n', query: LONG }],
  ];
  /** A gateway whose callers may use fewer tokens than the work has. */
  const limited = (base_url: string) => {
    const embedder = { type: 'openai', base_url, model: 'embed-1', dimensions: 8 };
    return start({ config: ragConfig({ embedder }, { limits: [{ principal: '*', tokens_per_minute: 50 }] }) });
  };

  it.each(WORK)('was aborted because its caller left are charged: %s', async (work, path, body) => {
    const upstream = await startUpstream(behaviours.held(behaviours.failure(503)).behaviour);
    onTestFinished(() => upstream.close());
    const gateway = await limited(upstream.url);
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${gateway.key('alice')}`, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body), signal: leaving.signal };
    const left = fetch(`${gateway.url}${path}`, request).catch(() => null);
    await upstream.received(1);
    leaving.abort();
    await left;
    const failed = `svc_rag_duration_seconds_count{work="${work}",outcome="failed"} 1`;
    await until(async () => (await gateway.get('/metrics', null)).text.includes(failed));
    expect(await gateway.chat('hello')).toMatchObject({ status: 429, body: { code: 'SVC-LIMIT-002' } });
  });

  it.each(WORK)('refused it are released: %s', async (_work, path, body) => {
    const upstream = await startUpstream(behaviours.failure(429));
    onTestFinished(() => upstream.close());
    const gateway = await limited(upstream.url);
    expect((await gateway.post(path, body)).status).toBe(429);
    expect((await gateway.chat('hello')).status).toBe(200);
  });
});

/** The route `asked` retrieves behind a declared or guarded residency, by an embedder in this region. */
function abroad(region: string | null, route: JsonObject, packs: JsonObject = {}): GatewayConfig {
  const embedder = { type: 'openai', base_url: 'http://127.0.0.1:9', model: 'embed-1', dimensions: 8 };
  const pipeline = { ingress: ['docs', ...Object.keys(packs)] };
  return ragConfig(
    { embedder: { ...embedder, ...(region !== null && { region }) } },
    {
      packs,
      providers: { local: { type: 'echo', region: 'eu' } },
      routes: { asked: { provider: 'local', model: 'echo-1', pipeline, ...route } },
    },
  );
}

describe("an embedder that receives callers' questions, and the residency of their route", () => {
  const GUARD = { where: { type: 'residency', allowed_regions: ['eu'] } };

  it.each([
    ['elsewhere', abroad('us', { residency: ['eu'] })],
    ['nobody knows where', abroad(null, { residency: ['eu'] })],
    ['elsewhere than a guard allows', abroad('us', {}, GUARD)],
    [
      'elsewhere, with a guard that would let it pass',
      abroad('us', { residency: ['eu'] }, { where: { type: 'residency', allowed_regions: ['us', 'eu'] } }),
    ],
  ])('the start is refused: %s', async (_what, config) => {
    await expect(start({ config })).rejects.toThrow(/SVC-POL-005.*rag\.embedder/);
  });

  it.each([
    ['in its region', abroad('eu', { residency: ['eu'] }, GUARD)],
    ['elsewhere, with a guard that only observes', abroad('us', {}, { where: { ...GUARD.where, mode: 'observe' } })],
    ['in the gateway itself', { ...abroad(null, { residency: ['eu'] }), rag: RAG }],
  ])('it serves: %s', async (_what, config) => {
    const gateway = await start({ config });
    expect((await gateway.get('/v1/health')).status).toBe(200);
  });
});

describe('refused at the start', () => {
  it('an embedder other than that of the stored vectors', async () => {
    const gateway = await start({ config: ragConfig() });
    await gateway.post('/v1/rag/index', { namespace: 'n', documents: DOCUMENTS });
    await gateway.stop();
    await gateway.configure(ragConfig({ embedder: { type: 'local', dimensions: 128 } }));
    await expect(gateway.launch()).rejects.toThrow(/holds vectors of local-words-1 \(1024 dimensions\)/);
  });

  it.each([
    ['a pack rag without a section rag', { ...ragConfig(), rag: undefined }, 'SVC-POL-002'],
    ['an index pipeline with a pack that is not there', ragConfig({ index_pipeline: ['nobody'] }), 'SVC-POL-002'],
    ['an index pipeline with a pack that adds documents', ragConfig({ index_pipeline: ['docs'] }), 'SVC-POL-004'],
    [
      'an index pipeline with a budget',
      ragConfig(
        { index_pipeline: ['budget'] },
        { packs: { budget: { limits: [{ scope: 'global', unit: 'requests', amount: 1, period: 'day' }] } } },
      ),
      'SVC-POL-004',
    ],
    ['an embedder that nobody has', ragConfig({ embedder: { type: 'nobody' } }), 'SVC-POL-002'],
    ['an option that the plugin does not know', ragConfig({ vectors: { type: 'local', path: 'x' } }), 'SVC-POL-001'],
  ])('%s', async (_what, config, code) => {
    await expect(start({ config: config as GatewayConfig })).rejects.toThrow(code);
  });
});
