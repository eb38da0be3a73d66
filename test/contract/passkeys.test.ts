import { createHash } from 'node:crypto';
import { canonicalJson } from '@svc/ledger';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { APPROVED, type Approver, DENIED } from '../harness/approver.ts';
import type { Algorithm, Faults } from '../harness/authenticator.ts';
import type { TestGateway } from '../harness/gateway.ts';
import type { IssuerProcess } from '../harness/issuer-process.ts';
import { RunChanges } from '../harness/run-changes.ts';
import { decide, statusOf } from './pausing-gateway.ts';
import { ORIGIN, SigningScene, signedIn, unsigned } from './signing-scene.ts';

let scene: SigningScene;
let issuer: IssuerProcess;
let gateway: TestGateway;
let anna: Approver;
let ben: Approver;
beforeAll(async () => {
  scene = await SigningScene.start();
  ({ issuer, gateway, anna, ben } = scene);
});
afterEach(() => scene.check());
afterAll(() => scene?.dispose());

const paused = (name?: string) => scene.paused(name);
const approver = (login: string, algorithm?: Algorithm) => scene.approver(login, algorithm);
const decisionsOf = (run_id: string) => scene.decisionsOf(run_id);
const malformed = { status: 400, body: { code: 'SVC-REQ-001' } };
const changed = { status: 409, body: { code: 'SVC-RUN-002' } };
const operations = async (action: string) => {
  const { body } = await gateway.get('/v1/audit/operations?limit=1000', 'root');
  return body.records.filter((record: { action: string }) => record.action === action);
};

it('a session with a cookie receives the changes of paused runs until it ends', async () => {
  const mia = await approver('mia');
  const { cookie = '' } = await mia.person.headers();
  const changes = await RunChanges.connect(gateway.url, { cookie });
  expect(changes.response.status).toBe(200);
  const run_id = await paused('may');
  expect(await changes.of(run_id)).toMatchObject({ change: 'waiting', run: { status: 'paused' } });
  expect((await mia.person.act('/auth/logout', { method: 'POST' })).status).toBeLessThan(400);
  // The next change, or keep-alive, finds the session gone.
  await paused('may');
  expect(await changes.change()).toBeNull();
  expect((await RunChanges.connect(gateway.url, { cookie })).response.status).toBe(401);
});

describe('a passkey', () => {
  it.each(['ES256', 'EdDSA', 'RS256'] as const)('is registered by a person, is on record, and signs: %s', async (algorithm) => {
    const mia = await approver('mia', algorithm);
    const { status, body } = await mia.register();
    const id = mia.passkey.id.toString('base64url');
    const facts = { principal_id: 'corp:mia', issuer: issuer.url, subject: 'mia', rp_id: 'gateway.example.com' };
    const number = { ES256: -7, EdDSA: -8, RS256: -257 }[algorithm];
    expect([status, body]).toMatchObject([201, { id, ...facts, algorithm: number, removed_at: null }]);
    expect((await operations('passkey.registered')).at(-1)).toMatchObject({
      actor: { principal_id: 'corp:mia', issuer: issuer.url, subject: 'mia' },
      target: { kind: 'passkey', name: id },
      change: { algorithm: number, public_key: mia.passkey.public_key.toString('base64url'), rp_id: facts.rp_id },
    });
    expect(await mia.decide(await paused())).toMatchObject({ status: 200, body: { status: 'completed' } });
    await mia.person.act(`/v1/passkeys/${id}`, { method: 'DELETE' });
  });

  it('is listed for its person, and all passkeys for an admin', async () => {
    const listed = async (answer: Promise<{ body: { passkeys: { id: string }[] } }>) =>
      (await answer).body.passkeys.map(({ id }) => id);
    const [annas, bens] = [anna, ben].map(({ passkey }) => passkey.id.toString('base64url'));
    expect(await listed(anna.person.ask('/v1/passkeys'))).toEqual([annas]);
    expect(await listed(ben.person.ask('/v1/passkeys'))).toEqual([bens]);
    expect(await listed(gateway.get('/v1/passkeys', 'root'))).toEqual([annas, bens]);
    expect((await gateway.get('/v1/passkeys', 'bob')).body).toEqual({ origin: ORIGIN, passkeys: [] });
  });

  it('is only for a person in a session with the role approve, not for a key or a token', async () => {
    const token = await issuer.sign(issuer.claims('anna'));
    const headers = { authorization: `Bearer ${token}` };
    expect(await gateway.post('/v1/passkeys/options', {}, 'bob')).toMatchObject(unsigned);
    expect(await gateway.request('POST', '/v1/passkeys/options', { principal: null, headers, body: {} })).toMatchObject(unsigned);
    const zoe = await approver('zoe');
    expect(await zoe.post('/v1/passkeys/options')).toMatchObject({ status: 403, body: { code: 'SVC-AUTH-002' } });
    // Without the token of the session.
    expect((await anna.person.ask('/v1/passkeys/options', { method: 'POST', body: {} })).status).toBe(403);
  });

  it.each<Faults>([{ origin: 'https://evil.example' }, { rp_id: 'evil.example' }, { verified: false }, { challenge: 'AAAA' }])(
    'is not registered with %j',
    async (faults) => {
      const mia = await approver('mia');
      const before = (await operations('passkey.registered')).length;
      expect(await mia.register(faults)).toMatchObject(malformed);
      expect(await operations('passkey.registered')).toHaveLength(before);
      if (faults.origin === undefined)
        expect(gateway.output).toMatch(/"event":"passkey_refused","ceremony":"registration","reason":"[A-Za-z ]{10,80}"/);
    },
  );

  it('is not registered by another person, twice, or with anything but a response', async () => {
    const mia = await approver('mia');
    const { options, ticket } = (await mia.post('/v1/passkeys/options')).body;
    const credential = mia.passkey.create(options);
    expect(await ben.post('/v1/passkeys', { ticket, credential })).toMatchObject(malformed);
    expect(await mia.post('/v1/passkeys', { ticket: `${ticket}A`, credential })).toMatchObject(malformed);
    for (const response of [{}, { clientDataJSON: 7 }, { ...credential.response, attestationObject: 'AAAA' }])
      expect(await mia.post('/v1/passkeys', { ticket, credential: { ...credential, response } })).toMatchObject(malformed);
    expect((await mia.post('/v1/passkeys', { ticket, credential })).status).toBe(201);
    expect(await mia.post('/v1/passkeys', { ticket, credential })).toMatchObject(malformed);
    await mia.person.act(`/v1/passkeys/${credential.id}`, { method: 'DELETE' });
    // Nor after its removal.
    expect(await mia.post('/v1/passkeys', { ticket, credential })).toMatchObject(malformed);
  });

  it('is removed by its person or an admin, and signs nothing from then on', async () => {
    const [mia, again] = [await approver('mia'), await approver('mia')];
    for (const each of [mia, again]) await each.register();
    const [first, second] = [mia, again].map(({ passkey }) => `/v1/passkeys/${passkey.id.toString('base64url')}`);
    const run_id = await paused();
    const body = await mia.signed(run_id, APPROVED);
    const missing = { status: 404, body: { code: 'SVC-KEY-003' } };
    expect(await ben.person.act(String(first), { method: 'DELETE' })).toMatchObject(missing);
    expect(await gateway.request('DELETE', String(first), { principal: 'bob' })).toMatchObject(missing);
    expect(await mia.person.act(String(first), { method: 'DELETE' })).toMatchObject({ status: 200 });
    expect(await mia.person.act(String(first), { method: 'DELETE' })).toMatchObject(missing);
    expect(await mia.post(`/v1/runs/${run_id}/resume`, body)).toMatchObject(unsigned);
    const removed = await gateway.request('DELETE', `${second}?reason=lost`, { principal: 'root' });
    expect(removed).toMatchObject({ status: 200, body: { removed_at: expect.any(String) } });
    expect((await operations('passkey.removed')).at(-1)).toMatchObject({ actor: { principal_id: 'root' }, reason: 'lost' });
    expect(await mia.statement(run_id, APPROVED)).toMatchObject(unsigned);
    expect(await statusOf(gateway, run_id)).toBe('paused');
  });
});

describe('a decision on a route that requires a passkey', () => {
  it('is refused with a key or without a signature; the error names the page for signing', async () => {
    const run_id = await paused();
    for (const decision of ['approved', 'denied'] as const) {
      const refused = await decide(gateway, run_id, decision, 'bob');
      expect(refused).toMatchObject(unsigned);
      expect(refused.body.detail).toContain('/approvals');
      expect(await anna.post(`/v1/runs/${run_id}/resume`, { decision })).toMatchObject(unsigned);
    }
    expect(await gateway.post(`/v1/runs/${run_id}/statement`, APPROVED, 'bob')).toMatchObject(unsigned);
    expect(await gateway.get(`/v1/runs/${run_id}/pending`, 'bob')).toMatchObject({ status: 200, body: { passkey: 'required' } });
    expect((await anna.person.ask(`/v1/runs/${run_id}/pending`)).body.passkey).toBe('required');
    expect(await statusOf(gateway, run_id)).toBe('paused');
  });

  it('is shown as not allowed for a key in the list, but allowed for a person', async () => {
    const barrier = (run_id: string, list: { body: { runs: { run_id: string; cannot_approve?: string }[] } }) =>
      list.body.runs.find((run) => run.run_id === run_id)?.cannot_approve;
    const path = '/v1/audit?status=paused&limit=1000';
    const [signed, may, named] = [await paused(), await paused('may'), await paused('named')];
    const [bobs, annas] = [await gateway.get(path, 'bob'), await anna.person.ask(path)];
    expect([signed, may, named].map((run_id) => barrier(run_id, bobs))).toEqual(['passkey', undefined, 'approvers']);
    expect([signed, may, named].map((run_id) => barrier(run_id, annas))).toEqual([undefined, undefined, undefined]);
    const two = await paused('two');
    await anna.decide(two);
    expect(barrier(two, await gateway.get(path, 'bob'))).toBe('passkey');
    expect(barrier(two, await anna.person.ask(path))).toBe('approved');
  });

  it('is recorded with the signed statement, whose hash is the challenge', async () => {
    const run_id = await paused('strict');
    const verdict = { ...APPROVED, reason: 'the invoice is right' };
    const { statement, options } = (await anna.statement(run_id, verdict)).body;
    expect(statement).toMatchObject({ run_id, decision: 'approved', node: 'policy', principal_id: 'corp:anna', edited: null });
    expect(options).toMatchObject({ rpId: 'gateway.example.com', userVerification: 'required' });
    const hash = createHash('sha256').update(canonicalJson(statement)).digest('base64url');
    expect(options.challenge).toBe(hash);
    expect(await anna.decide(run_id, verdict)).toMatchObject({ status: 200, body: { status: 'completed' } });
    const [decision] = await decisionsOf(run_id);
    const { digest, reason_digest } = decision?.data ?? {};
    expect(signedIn(decision).statement).toMatchObject({
      run_id,
      digest,
      reason_digest,
      node: 'policy',
      type: 'svc.decision.v1',
    });
    expect(Object.keys(signedIn(decision))).toEqual([
      'authenticator_data',
      'client_data',
      'public_key',
      'rp_id',
      'signature',
      'statement',
    ]);
    expect((await anna.person.ask(`/v1/runs/${run_id}/decisions`)).body.decisions).toMatchObject([verdict]);
  });

  it('may be a denial', async () => {
    const run_id = await paused();
    expect(await ben.decide(run_id, DENIED)).toMatchObject({ status: 200, body: { status: 'denied' } });
    expect((await decisionsOf(run_id))[0]?.data.signed).toMatchObject({ statement: { decision: 'denied' } });
  });

  it.each<Faults>([
    { origin: 'https://evil.example' },
    { origin: `${ORIGIN}:8443` },
    { rp_id: 'evil.example' },
    { verified: false },
    { challenge: 'AAAA' },
    { crossOrigin: true },
  ])('is refused if it was signed with %j', async (faults) => {
    const run_id = await paused();
    expect(await anna.decide(run_id, APPROVED, faults)).toMatchObject(unsigned);
    expect(await statusOf(gateway, run_id)).toBe('paused');
  });

  it('is refused with a signature for another run, decision, reason or person', async () => {
    const [one, two] = [await paused(), await paused()];
    const body = await anna.signed(one, APPROVED);
    expect(await anna.post(`/v1/runs/${two}/resume`, body)).toMatchObject(changed);
    const { passkey } = body;
    const { digest } = (await anna.person.ask(`/v1/runs/${two}/pending`)).body;
    expect(await anna.post(`/v1/runs/${two}/resume`, { ...body, digest })).toMatchObject(unsigned);
    expect(await anna.post(`/v1/runs/${one}/resume`, { decision: 'denied', passkey })).toMatchObject(unsigned);
    expect(await anna.post(`/v1/runs/${one}/resume`, { ...body, reason: 'because' })).toMatchObject(unsigned);
    expect(await ben.post(`/v1/runs/${one}/resume`, body)).toMatchObject(unsigned);
    expect(await gateway.post(`/v1/runs/${one}/resume`, body, 'bob')).toMatchObject(unsigned);
    // With a passkey of another person, who is asked for the same.
    expect(await anna.post(`/v1/runs/${one}/resume`, await anna.signed(one, APPROVED, {}, ben.passkey))).toMatchObject(unsigned);
    for (const run_id of [one, two]) expect(await statusOf(gateway, run_id)).toBe('paused');
    expect(await anna.post(`/v1/runs/${one}/resume`, body)).toMatchObject({ status: 200 });
  });

  it('is refused with one changed byte of the response, or another ticket', async () => {
    const run_id = await paused();
    const body = await anna.signed(run_id, APPROVED);
    const { credential, ticket } = body.passkey;
    const resume = (passkey: object) => anna.post(`/v1/runs/${run_id}/resume`, { ...APPROVED, passkey });
    for (const [name, text] of Object.entries(credential.response)) {
      const bytes = Buffer.from(String(text), 'base64url');
      const at = bytes.length - 9;
      bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
      const response = { ...credential.response, [name]: bytes.toString('base64url') };
      expect(await resume({ ticket, credential: { ...credential, response } })).toMatchObject(unsigned);
    }
    const other = (await anna.statement(run_id, APPROVED)).body.ticket;
    for (const wrong of [other, `${ticket}A`, '', 'ticket'])
      expect(await resume({ ticket: wrong, credential })).toMatchObject(unsigned);
    expect(await resume({ ticket, credential })).toMatchObject({ status: 200 });
  });

  it('counts once: a signature decides nothing a second time', async () => {
    const run_id = await paused('two');
    const body = await anna.signed(run_id, APPROVED);
    const resume = () => anna.post(`/v1/runs/${run_id}/resume`, body);
    expect(await resume()).toMatchObject({ status: 200, body: { status: 'paused' } });
    expect(await resume()).toMatchObject({ status: 200, body: { status: 'paused' } });
    // An approver who was disabled does not count, and the same signature does not make the approval count again.
    const set = (state: string) =>
      gateway.request('PUT', '/v1/operations/states/principal/corp:anna', { principal: 'root', body: { state } });
    await set('disabled');
    expect(await ben.decide(run_id)).toMatchObject({ body: { status: 'paused' } });
    await set('enabled');
    expect(await anna.person.ask(`/v1/runs/${run_id}/pending`)).toMatchObject({ body: { approvals: { given: 2, needed: 2 } } });
    expect(await resume()).toMatchObject({ status: 200, body: { status: 'paused' } });
    expect(await anna.decide(run_id, DENIED)).toMatchObject({ body: { status: 'denied' } });
    expect(await resume()).toMatchObject(changed);
  });

  it('needs the passkeys of two people where two must approve', async () => {
    const run_id = await paused('two');
    expect(await anna.decide(run_id)).toMatchObject({ body: { status: 'paused' } });
    expect(await anna.decide(run_id)).toMatchObject({ body: { status: 'paused' } });
    expect(await ben.decide(run_id)).toMatchObject({ body: { status: 'completed' } });
    const made = await decisionsOf(run_id);
    expect(made.map((each) => [each.data.principal_id, signedIn(each).statement.principal_id])).toEqual([
      ['corp:anna', 'corp:anna'],
      ['corp:ben', 'corp:ben'],
    ]);
  });

  it('counts only until its passkey is removed', async () => {
    const [mia, again] = [await approver('mia'), await approver('mia')];
    await mia.register();
    const run_id = await paused('two');
    const given = async () => (await anna.person.ask(`/v1/runs/${run_id}/pending`)).body.approvals.given;
    expect(await mia.decide(run_id)).toMatchObject({ body: { status: 'paused' } });
    expect(await given()).toBe(1);
    const remove = (one: Approver) =>
      one.person.act(`/v1/passkeys/${one.passkey.id.toString('base64url')}`, { method: 'DELETE' });
    await remove(mia);
    expect(await given()).toBe(0);
    expect(await anna.decide(run_id)).toMatchObject({ body: { status: 'paused' } });
    expect(await given()).toBe(1);
    await again.register();
    expect(await again.decide(run_id)).toMatchObject({ body: { status: 'completed' } });
    await remove(again);
  });

  it('covers the edits of the approver, and those alone', async () => {
    const run_id = await paused();
    const { digest } = (await anna.person.ask(`/v1/runs/${run_id}/pending`)).body;
    const edited = (text: string) => ({ ...APPROVED, digest, edits: [{ index: 0, text }] });
    const body = await anna.signed(run_id, edited('a wire transfer of 10 euros'));
    expect(await anna.post(`/v1/runs/${run_id}/resume`, { ...body, ...edited('a wire transfer of 99 euros') })).toMatchObject(
      unsigned,
    );
    const { edits: _, ...plain } = body;
    expect(await anna.post(`/v1/runs/${run_id}/resume`, plain)).toMatchObject(unsigned);
    expect(await anna.post(`/v1/runs/${run_id}/resume`, body)).toMatchObject({ body: { status: 'completed' } });
    const [decision] = await decisionsOf(run_id);
    expect(signedIn(decision).statement.edited).toBe(decision?.data.edited);
  });

  it('is refused after another approver has edited the payload', async () => {
    const run_id = await paused('two');
    const body = await anna.signed(run_id, APPROVED);
    const { digest } = (await ben.person.ask(`/v1/runs/${run_id}/pending`)).body;
    expect(
      await ben.decide(run_id, { ...APPROVED, digest, edits: [{ index: 0, text: 'wire transfer of 1 euro' }] }),
    ).toMatchObject({ body: { status: 'paused' } });
    expect(await anna.post(`/v1/runs/${run_id}/resume`, body)).toMatchObject(changed);
    const now = (await anna.person.ask(`/v1/runs/${run_id}/pending`)).body.digest;
    expect(await anna.decide(run_id, { ...APPROVED, digest: now })).toMatchObject({ body: { status: 'completed' } });
  });

  it('is refused if the counter of the authenticator did not grow', async () => {
    const mia = await approver('mia');
    mia.passkey.counter = 5;
    expect((await mia.register()).status).toBe(201);
    const run_id = await paused();
    for (const counter of [5, 0]) expect(await mia.decide(run_id, APPROVED, { counter })).toMatchObject(unsigned);
    expect(await mia.decide(run_id, APPROVED, { counter: 6 })).toMatchObject({ body: { status: 'completed' } });
    expect(await mia.decide(await paused(), APPROVED, { counter: 6 })).toMatchObject(unsigned);
  });

  it('cannot depend on approvers who have only keys', async () => {
    const messages = [{ role: 'user', content: 'wire transfer' }];
    expect(await gateway.post('/v1/runs', { route: 'signed', approvers: ['bob'], messages })).toMatchObject(malformed);
    expect((await gateway.post('/v1/runs', { route: 'signed', approvers: ['corp:anna'], messages })).body.status).toBe('paused');
  });
});

describe('on a route that does not require one', () => {
  it('a decision may be signed, but need not be', async () => {
    const [one, two] = [await paused('may'), await paused('may')];
    expect((await decide(gateway, one, 'approved', 'bob')).body.status).toBe('completed');
    expect((await anna.decide(two)).body.status).toBe('completed');
    expect((await decisionsOf(one))[0]?.data.signed).toBeUndefined();
    expect((await decisionsOf(two))[0]?.data.signed).toBeDefined();
  });

  it('the page asks people who have a passkey', async () => {
    const asked = async (name: string, who: Approver) =>
      (await who.person.ask(`/v1/runs/${await paused(name)}/pending`)).body.passkey;
    const kim = await approver('kim');
    expect(await Promise.all([asked('may', anna), asked('may', kim), asked('default', anna), asked('signed', kim)])).toEqual([
      'optional',
      'none',
      'none',
      'required',
    ]);
  });

  it('an invalid signature is refused nevertheless', async () => {
    const run_id = await paused('may');
    expect(await anna.decide(run_id, APPROVED, { verified: false })).toMatchObject(unsigned);
    expect(await statusOf(gateway, run_id)).toBe('paused');
  });
});
