import { afterAll, beforeAll, expect, it } from 'vitest';
import { startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';
import { readStream } from '../harness/stream-reader.ts';
import { decide, type Event, ofType, statusOf } from './pausing-gateway.ts';

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  const route = (ingress: string[]) => ({
    provider: 'upstream',
    model: 'm-1',
    approvers: ['bob'],
    pipeline: { ingress, egress: ['mask'] },
  });
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      providers: { upstream: { type: 'openai', base_url: upstream.url, region: 'us' } },
      packs: { resident: { type: 'residency', allowed_regions: ['eu'], require_approval: true } },
      routes: { approved: route(['mask', 'policy']), resident: route(['resident']) },
    }),
    principals: [{ principal_id: 'alice' }, { principal_id: 'bob' }, { principal_id: 'ada', roles: ['admin'] }],
  });
  await set('approved', 'approval_required');
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

async function set(route: string, state: string): Promise<void> {
  const { status } = await gateway.request('PUT', `/v1/operations/states/route/${route}`, { principal: 'ada', body: { state } });
  expect(status).toBe(200);
}

const asked = (): number => upstream.requests.length;
const eventsOf = async (run_id: string): Promise<Event[]> => (await gateway.get(`/v1/runs/${run_id}`)).body.events;
const pausedAt = async (run_id: string): Promise<string[]> => ofType(await eventsOf(run_id), 'paused').map(({ node }) => node);
const runId = ({ headers }: Pick<Answer, 'headers'>): string => headers.get('x-svc-run-id') ?? '';

it('pauses a run before its model is called, and continues it once approved', async () => {
  const before = asked();
  const run_id = runId(await gateway.chat('from ACC-1', { model: 'approved' }));
  expect([await statusOf(gateway, run_id), asked()]).toEqual(['paused', before]);
  expect((await gateway.get(`/v1/runs/${run_id}/pending`, 'bob')).body).toMatchObject({
    messages: [{ content: 'from <ACCOUNT>' }],
  });
  expect((await decide(gateway, run_id, 'approved', 'alice')).body.code).toBe('SVC-AUTH-003');
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
  expect(asked()).toBe(before + 1);
  const [said] = ofType(await eventsOf(run_id), 'verdict').filter(({ node }) => node === 'operator');
  expect(said).toMatchObject({ stage: 'execute', data: { verdict: 'require_approval', code: 'approval_required' } });
  expect(ofType(await eventsOf(run_id), 'paused')).toHaveLength(1);
});

it('pauses a stream before any of it is sent', async () => {
  const { frames } = await readStream(gateway, 'hello', { model: 'approved' });
  expect(frames).toMatchObject([{ svc_event: 'paused', choices: [{ finish_reason: 'content_filter' }] }]);
});

it('if denied, ends the run without a model call', async () => {
  const before = asked();
  const run_id = runId(await gateway.chat('hello', { model: 'approved' }));
  expect((await decide(gateway, run_id, 'denied')).body.status).toBe('denied');
  expect(asked()).toBe(before);
});

it('needs two approvals if a guard also requires one', async () => {
  const run_id = runId(await gateway.chat('a wire transfer', { model: 'approved' }));
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('paused');
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
  expect(ofType(await eventsOf(run_id), 'paused').map(({ node }) => node)).toEqual(['policy', 'operator']);
});

it('refuses embeddings, whose caller cannot wait', async () => {
  const { status, body } = await gateway.post('/v1/embeddings', { model: 'approved', input: 'hello' });
  expect([status, body.code]).toEqual([422, 'SVC-RUN-007']);
});

it('`approval_required` also applies to a run that was already paused before its model call', async () => {
  const before = asked();
  const run_id = runId(await gateway.chat('hello', { model: 'resident' }));
  await set('resident', 'approval_required');
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('paused');
  expect([await pausedAt(run_id), asked()]).toEqual([['resident', 'operator'], before]);
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
  expect([await pausedAt(run_id), asked()]).toEqual([['resident', 'operator'], before + 1]);
});

it('is approved once, even if a guard then pauses the run for its endpoint', async () => {
  const run_id = runId(await gateway.chat('hello', { model: 'resident' }));
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('paused');
  expect((await decide(gateway, run_id, 'approved')).body.status).toBe('completed');
  expect(await pausedAt(run_id)).toEqual(['operator', 'resident']);
});
