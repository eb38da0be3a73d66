import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { placeRecord, prepareRecord, rehash } from '@svc/ledger';
import { KeyTree } from '@svc/runtime/content';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { OperationsKey, tagOf } from '../../kernel/runtime/src/records/operations-log/operations-key.ts';
import { sql } from '../../plugins/store-postgres/src/test-database.ts';
import { echoConfig, type TestGateway } from '../harness/gateway.ts';
import { Replicas } from '../harness/replicas.ts';
import { until } from '../harness/until.ts';

const KEY = 'operations/key';
const FIRST = randomBytes(32).toString('hex');
const PRINCIPALS = [{ principal_id: 'ada', roles: ['call', 'admin'] }];

let replicas: Replicas;
let one: TestGateway;
let other: TestGateway;
beforeAll(async () => {
  replicas = await Replicas.start(inject('postgres'), echoConfig({ store: using('FIRST') }), 0);
  Object.assign(replicas.env, { FIRST, SECOND: randomBytes(32).toString('hex') });
  [one, other] = [await replicas.add(replicas.url, PRINCIPALS), await replicas.add(replicas.url, PRINCIPALS)];
});
afterAll(() => replicas?.dispose());

/** Content keys by their names in the environment: the newest, then older ones. */
function using(...names: string[]) {
  const [content_key = '', ...older_content_keys] = names.map((name) => `secret://env/${name}#value`);
  return { content_key, older_content_keys };
}

async function restart(gateway: TestGateway, ...names: string[]): Promise<void> {
  const config = JSON.parse(await readFile(join(gateway.folder, 'svc.yaml'), 'utf8'));
  await gateway.stop();
  await gateway.configure({ ...config, store: using(...names) });
  await gateway.launch();
}

async function stored(key: string): Promise<string | undefined> {
  const found = await sql<{ value: string }>(replicas.url, 'SELECT value FROM svc.meta WHERE key = $1', [key]);
  return found[0]?.value;
}
const keyOf = (seq: number): string => `operations/record/${String(seq).padStart(12, '0')}`;

/** What somebody adds who can write to the database: that a principal is disabled, with a tag by this key. @returns the value's key */
async function forge(name: string, key: Buffer): Promise<string> {
  let head = { seq: 0, hash: 'genesis' };
  for (let value = await stored(keyOf(1)); value !== undefined; value = await stored(keyOf(head.seq + 1)))
    head = rehash(value.slice(value.indexOf('{')), head.seq + 1, head.hash) ?? head;
  const record = prepareRecord({
    record_type: 'operation',
    at: new Date().toISOString(),
    action: 'state.changed',
    actor: { principal_id: 'ada', issuer: null, subject: null },
    target: { kind: 'principal', name },
    before: null,
    after: null,
    reason: 'forged',
    change: { state: 'disabled' },
  });
  const { bytes } = placeRecord(record, head.seq + 1, head.hash);
  await sql(replicas.url, 'INSERT INTO svc.meta (key, value) VALUES ($1, $2)', [
    keyOf(head.seq + 1),
    `${tagOf(key, bytes)} ${bytes}`,
  ]);
  return keyOf(head.seq + 1);
}

const disabled = async (gateway: TestGateway): Promise<string[]> =>
  (await gateway.get('/v1/operations/states', 'ada')).body.states.map(({ name }: { name: string }) => name);

it('gateways keep serving during an exchange of the content key, and a holder of the previous key can no longer forge', async () => {
  const stolen = (await stored(KEY)) ?? '';
  const newest = KeyTree.parse(FIRST);
  if (newest === null) throw new Error('no key');
  const readMeta = async () => stolen;
  const key = await new OperationsKey({ readMeta, writeMeta: async () => false }, { newest, older: [], forget: null }).ensure();
  await forge('before', key);
  await until(async () => (await disabled(other)).includes('before'));

  for (const gateway of [one, other]) await restart(gateway, 'FIRST', 'SECOND');
  const add = async (gateway: TestGateway) =>
    expect((await gateway.post('/v1/keys', { principal_id: 'app', roles: ['call'] }, 'ada')).status).toBe(201);
  const adding = async (): Promise<void> => {
    for (let count = 0; count < 10; count += 1) await add(other);
  };
  await Promise.all([adding(), restart(one, 'SECOND', 'FIRST').then(() => add(one))]);
  await add(other);
  await restart(other, 'SECOND', 'FIRST');
  await until(async () => (await stored(KEY))?.split(' ').length === 2);
  for (const gateway of [one, other]) await restart(gateway, 'SECOND');
  await Promise.all([one, other].map(add));
  for (const gateway of [one, other]) expect((await gateway.get('/v1/keys', 'ada')).body.keys).toHaveLength(14);

  const forged = await forge('after', key);
  await one.logged('operations_failed');
  expect((await one.post('/v1/keys', { principal_id: 'app', roles: ['call'] }, 'ada')).body.code).toBe('SVC-STORE-001');
  await sql(replicas.url, 'DELETE FROM svc.meta WHERE key = $1', [forged]);
  await Promise.all([one, other].map(add));
  expect(await disabled(one)).toEqual(['before']);

  const whole = (await stored(KEY)) ?? '';
  const put = (value: string) => sql(replicas.url, 'UPDATE svc.meta SET value = $1 WHERE key = $2', [value, KEY]);
  await put(stolen);
  await other.stop();
  await expect(other.launch()).rejects.toThrow('restore the content key');
  await put(whole);
  await other.launch();
  expect(await disabled(other)).toEqual(['before']);
});
