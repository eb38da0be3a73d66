import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { sql, temporaryDatabase } from '../../plugins/store-postgres/src/test-database.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
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

describe('two gateways over one database', () => {
  it('follow each other where their files are the same, and say so where they are not', async () => {
    const replicas = await Replicas.start(inject('postgres'), echoConfig(), 2);
    ends.push(() => replicas.dispose());
    const [one, other] = replicas.all as [TestGateway, TestGateway];
    const { auth, ...content } = await contentOf(one);
    const keys = [
      ...((auth as JsonObject).keys as JsonObject[]),
      ...(((await contentOf(other)).auth as JsonObject).keys as JsonObject[]),
    ];
    const roles = ['call', 'approve', 'audit', 'admin'];
    const admins = keys.map((key) => ({ ...key, roles }));
    const file = JSON.stringify({ ...content, auth: { keys: admins } });
    for (const gateway of [one, other]) await writeFile(fileOf(gateway), file);
    // The keys in force have no role for this yet: the signal needs none.
    process.kill(one.pid, 'SIGHUP');
    await Promise.all([one.logged('configuration_applied'), other.logged('configuration_applied')]);
    expect(await digestOf(other)).toBe(await digestOf(one));
    const records = await sql(replicas.url, "SELECT value FROM svc.meta WHERE key LIKE 'operations/record/%'");
    expect(records).toHaveLength(1);

    await writeFile(fileOf(one), JSON.stringify({ ...content, auth: { keys: admins }, routes: { default: ECHO, fresh: ECHO } }));
    const before = await digestOf(other);
    expect((await one.post(PATH, {})).status).toBe(200);
    await other.logged('configuration_differs');
    expect(await digestOf(other)).toBe(before);
    expect((await one.get(PATH)).body.active_digest).not.toBe(before);
  });
});

describe('a server of two workers', () => {
  it('reads its file again in all of them on SIGHUP, and in one that is started later', async () => {
    const database = await temporaryDatabase(inject('postgres'));
    ends.push(database.remove);
    const config = echoConfig({ server: { workers: 2 } });
    const gateway = await TestGateway.start({ config, args: ['--runs-db', database.url] });
    ends.push(() => gateway.dispose());
    const { auth } = await contentOf(gateway);
    await gateway.configure({ ...echoConfig({ server: { workers: 2 }, routes: { fresh: ECHO } }), auth: auth ?? null });
    process.kill(gateway.pid, 'SIGHUP');
    const lines = (event: string): JsonObject[] =>
      gateway.output
        .split('\n')
        .filter((line) => line.includes(`"event":"${event}"`))
        .map((line) => JSON.parse(line));
    await until(() => lines('configuration_applied').length === 2);
    const [first, second] = lines('configuration_applied');
    expect(first?.config_digest).toBe(second?.config_digest);
    expect(first?.pid).not.toBe(second?.pid);

    process.kill(Number(first?.pid), 'SIGKILL');
    await gateway.logged('worker_started');
    for (let n = 0; n < 8; n += 1) expect(await digestOf(gateway)).toBe(first?.config_digest);
    expect(lines('configuration_applied')).toHaveLength(2);
  });
});
