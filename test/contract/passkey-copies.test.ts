import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { APPROVED, type Approver, DENIED } from '../harness/approver.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { pausedRun, statusOf } from './pausing-gateway.ts';
import { SigningScene, signedIn, unsigned } from './signing-scene.ts';

let scene: SigningScene;
let gateway: TestGateway;
let anna: Approver;
let ben: Approver;
beforeAll(async () => {
  scene = await SigningScene.start();
  ({ gateway, anna, ben } = scene);
});
afterEach(() => scene.check());
afterAll(() => scene?.dispose());

it('a signature applies to each copy of the request', async () => {
  const text = scene.newText();
  const runs = [await pausedRun(gateway, text, { route: 'signed' }), await pausedRun(gateway, text, { route: 'signed' })];
  const [one = '', two = ''] = runs;
  const { digest } = (await anna.person.ask(`/v1/runs/${two}/pending`)).body;
  expect(await anna.decide(one, { ...APPROVED, reason: 'both' })).toMatchObject({ body: { status: 'completed' } });
  await expect.poll(() => statusOf(gateway, two)).toBe('completed');
  for (const run_id of runs)
    expect((await scene.decisionsOf(run_id))[0]?.data).toMatchObject({
      together: { run_id: one, runs: 2 },
      signed: { statement: { run_id: one, copies: [{ run_id: two, digest }] } },
    });
});

it('a signature does not apply to a copy that arrives after the statement', async () => {
  const text = scene.newText();
  const copy = () => pausedRun(gateway, text, { route: 'signed' });
  const [one, two] = [await copy(), await copy()];
  const body = await anna.signed(one, APPROVED);
  const late = await copy();
  expect(await anna.post(`/v1/runs/${one}/resume`, body)).toMatchObject({ body: { status: 'completed' } });
  await expect.poll(() => statusOf(gateway, two)).toBe('completed');
  expect((await scene.decisionsOf(one))[0]?.data.together).toEqual({ run_id: one, runs: 2 });
  expect(await statusOf(gateway, late)).toBe('paused');
  expect(await anna.decide(late, DENIED)).toMatchObject({ body: { status: 'denied' } });
  expect((await scene.decisionsOf(late))[0]?.data).not.toHaveProperty('together');
});

it('a signature applies to no copy that is decided meanwhile, and to none with edits', async () => {
  const text = scene.newText();
  const copy = () => pausedRun(gateway, text, { route: 'signed' });
  const [one, two, three] = [await copy(), await copy(), await copy()];
  const { digest } = (await anna.person.ask(`/v1/runs/${one}/pending`)).body;
  const body = await anna.signed(one, APPROVED);
  const edited = { ...APPROVED, digest, edits: [{ index: 0, text: 'a wire transfer of 1 euro' }] };
  const { statement } = (await ben.statement(one, edited)).body;
  expect(statement.copies).toEqual([]);
  expect(
    await ben.decide(two, { ...edited, digest: (await ben.person.ask(`/v1/runs/${two}/pending`)).body.digest }),
  ).toMatchObject({
    body: { status: 'completed' },
  });
  expect(await anna.post(`/v1/runs/${one}/resume`, body)).toMatchObject({ body: { status: 'completed' } });
  await expect.poll(() => statusOf(gateway, three)).toBe('completed');
  expect((await scene.decisionsOf(three))[0]?.data.together).toEqual({ run_id: one, runs: 2 });
  expect((await scene.decisionsOf(two)).map(({ data }) => data.principal_id)).toEqual(['corp:ben']);
});

it('a signature applies to at most 100 copies, the first by run id', async () => {
  const text = scene.newText();
  const runs = await Promise.all(Array.from({ length: 103 }, () => pausedRun(gateway, text, { route: 'signed' })));
  const [one = '', ...others] = runs;
  const [signed, left] = [others.toSorted().slice(0, 100), others.toSorted().slice(100)];
  const body = await anna.signed(one, DENIED);
  expect(await anna.post(`/v1/runs/${one}/resume`, body)).toMatchObject({ body: { status: 'denied' } });
  const [decision] = await scene.decisionsOf(one);
  expect(decision?.data.together).toEqual({ run_id: one, runs: 101 });
  expect(signedIn(decision).statement.copies.map(({ run_id }) => run_id)).toEqual(signed);
  await expect.poll(() => statusOf(gateway, signed.at(-1) ?? '')).toBe('denied');
  expect(await Promise.all(left.map((run_id) => statusOf(gateway, run_id)))).toEqual(['paused', 'paused']);
  expect(await anna.decide(left[0] ?? '', DENIED)).toMatchObject({ body: { status: 'denied' } });
});

it('a statement names the person on whose behalf the decision is made, and no other', async () => {
  const kim = await scene.approver('kim');
  const delegation = async (from: Approver) =>
    (await from.post('/v1/approvals/delegations', { to: 'corp:ben', for: '1h', reason: 'on leave' })).body.id;
  const [annas, kims] = [await delegation(anna), await delegation(kim)];
  const identity = { issuer: scene.issuer.url };
  const run_id = await scene.paused('named');
  const body = await ben.signed(run_id, APPROVED);
  await anna.person.act(`/v1/approvals/delegations/${annas}`, { method: 'DELETE' });
  const refused = await ben.post(`/v1/runs/${run_id}/resume`, body);
  expect(refused).toMatchObject(unsigned);
  expect(refused.body.detail).toContain('sign again');
  expect(await ben.decide(run_id)).toMatchObject({ body: { status: 'completed' } });
  const [decision] = await scene.decisionsOf(run_id);
  const on_behalf_of = { ...identity, delegation_id: kims, principal_id: 'corp:kim', subject: 'kim' };
  expect(decision?.data.on_behalf_of).toEqual(on_behalf_of);
  expect(signedIn(decision).statement.on_behalf_of).toEqual(on_behalf_of);
  await kim.person.act(`/v1/approvals/delegations/${kims}`, { method: 'DELETE' });
});
