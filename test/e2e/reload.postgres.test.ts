import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { sql } from '../../plugins/store-postgres/src/test-database.ts';
import { answer, held, startUpstream } from '../fixtures/upstream.ts';
import { echoConfig, installPackages, type TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';
import { until } from '../harness/until.ts';

const PATH = '/v1/operations/configuration';
const ECHO = { provider: 'local', model: 'echo-1', pipeline: { ingress: [], egress: [] } };
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const fileOf = ({ folder }: TestGateway): string => join(folder, 'svc.yaml');

async function contentOf(gateway: TestGateway): Promise<JsonObject> {
  return JSON.parse(await readFile(fileOf(gateway), 'utf8'));
}

const digestOf = async (gateway: TestGateway, principal = 'alice'): Promise<string> =>
  (await gateway.get('/v1/health', principal)).body.config_digest;

/** Two gateways with the keys of both, each with the role admin, and what their files have in common. */
async function twoGateways() {
  const replicas = await Replicas.start(inject('postgres'), echoConfig(), 2);
  ends.push(() => replicas.dispose());
  const [one, other] = replicas.all as [TestGateway, TestGateway];
  const all = await Promise.all([one, other].map(contentOf));
  const keys = all.flatMap(({ auth }) => (auth as { keys: JsonObject[] }).keys);
  const roles = ['call', 'approve', 'audit', 'admin'];
  const content = { ...all[0], auth: { keys: keys.map((key) => ({ ...key, roles })) } };
  const write = (gateway: TestGateway, changes: JsonObject = {}) =>
    writeFile(fileOf(gateway), JSON.stringify({ ...content, ...changes }));
  for (const gateway of [one, other]) await write(gateway);
  // The active keys have no such role yet: the signal needs none.
  process.kill(one.pid, 'SIGHUP');
  await Promise.all([one.logged('configuration_applied'), other.logged('configuration_applied')]);
  const records = async (): Promise<number> => {
    const found = await sql<{ value: string }>(replicas.url, "SELECT value FROM svc.meta WHERE key LIKE 'operations/record/%'");
    return found.filter(({ value }) => JSON.parse(value.slice(value.indexOf('{'))).action === 'configuration.applied').length;
  };
  return { one, other, write, records };
}

/** Resolves once a gateway has said that its file is another than this one, which is on record. */
async function differs(gateway: TestGateway, applied: string): Promise<void> {
  const says = `"event":"configuration_differs","applied_digest":"${applied}"`;
  await gateway.until((output) => (output.includes(says) ? true : undefined));
}

describe('two gateways over one database', () => {
  it("apply each other's changes if their files are the same, and otherwise log the difference", async () => {
    const { one, other, write, records } = await twoGateways();
    expect(await digestOf(other)).toBe(await digestOf(one));
    expect(await records()).toBe(1);

    await write(one, { routes: { default: ECHO, fresh: ECHO } });
    const before = await digestOf(other);
    expect((await one.post(PATH, {})).status).toBe(200);
    await differs(other, await digestOf(one));
    expect(await digestOf(other)).toBe(before);
    expect((await one.get(PATH)).body.active_digest).not.toBe(before);

    // Copied later: nobody has to apply it again.
    await write(other, { routes: { default: ECHO, fresh: ECHO } });
    const applied = await digestOf(one);
    await until(async () => (await digestOf(other)) === applied);
    expect(await records()).toBe(2);
  });

  it('log a start with a file that differs from the applied one', async () => {
    const { one, other, write } = await twoGateways();
    const before = await digestOf(other);
    await other.stop();
    await write(one, { routes: { default: ECHO, fresh: ECHO } });
    const { body } = await one.post(PATH, {});
    await other.launch();
    await differs(other, body.active_digest);
    expect(await digestOf(other)).toBe(before);
    // Until somebody applies it there or copies the other one, which says nothing more.
    await write(other, { routes: { default: ECHO, fresh: ECHO } });
    await other.stop();
    const told = other.output.length;
    await other.launch();
    expect(await digestOf(other)).toBe(body.active_digest);
    // Of its start before that one, which is on record.
    await differs(other, before);
    expect(other.output.slice(told).split('"event":"configuration_differs"')).toHaveLength(2);
  });

  it('that reload at once record the same file once', async () => {
    const { one, other, write, records } = await twoGateways();
    const before = await digestOf(one);
    for (const gateway of [one, other]) await write(gateway, { routes: { default: ECHO } });
    const answers = await Promise.all([one.post(PATH, {}), other.post(PATH, {})]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await records()).toBe(2);
    expect(await digestOf(one)).not.toBe(before);
    expect(await digestOf(other)).toBe(await digestOf(one));
  });

  it('refuse a change if another gateway was faster', async () => {
    const upstream = await startUpstream();
    ends.push(() => upstream.close());
    const { one, other, write, records } = await twoGateways();
    const before = await digestOf(other);
    await installPackages(other.folder, ['counts']);
    const model = held(answer('now'));
    upstream.respond(model.behaviour);
    const count = { type: 'counts', waits_for: upstream.url };
    await write(other, { packs: { count }, routes: { default: { ...ECHO, pipeline: { ingress: ['count'], egress: [] } } } });
    const late = other.post(PATH, {});
    await upstream.received(1);
    await write(one, { routes: { default: ECHO } });
    expect((await one.post(PATH, {})).status).toBe(200);
    model.release();
    expect((await late).body.code).toBe('SVC-CONF-002');
    await other.logged('closed_first');
    await differs(other, await digestOf(one));
    expect(await digestOf(other)).toBe(before);
    expect(await records()).toBe(2);
  });
});
