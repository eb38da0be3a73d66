import { generateKeyPairSync } from 'node:crypto';
import type { ChatRequest, Guard } from '@svc/contracts';
import { signingKey } from '@svc/ledger';
import { expect, it } from 'vitest';
import { KeyTree } from '../content/key-tree.ts';
import { ALLOW, answerOf, guardOf, providerOf, replacing } from '../test-parts.ts';
import { createGateway, type NewGateway } from './create-gateway.ts';
import type { NewRoute } from './new-route.ts';
import { pluginDeps } from './plugin-deps.ts';
import { SharedStore } from './test-store.ts';

const sent: ChatRequest[] = [];
const instance = providerOf(async (request) => {
  sent.push(structuredClone(request));
  return { completion: answerOf('answer'), unsupported: [] };
});
const endpoints = [{ provider: 'local', model: 'm-1', instance }];
const masking = { name: 'masking', guard: replacing('secret', '***') };

const open = (route: Partial<NewRoute>, options: Partial<NewGateway> = {}, store = new SharedStore()) =>
  createGateway({ store, clock: store.clock, routes: { default: { endpoints, ...route } }, ...options });
const asking = (content: string, fields: object = {}): ChatRequest => ({
  model: 'default',
  messages: [{ role: 'user', content }],
  ...fields,
});

it('runs a chat through its guards, and does not change the request of the caller', async () => {
  const { chat, close } = await open({ ingress: [masking] });
  const request = asking('a secret', { stream: true });
  const { row, completion, stop } = await chat('alice', request);
  expect({ status: row.status, principal_id: row.principal_id, stop }).toEqual({
    status: 'completed',
    principal_id: 'alice',
    stop: null,
  });
  expect(row.evidence?.seq).toBe(2);
  expect(completion?.choices[0]?.message.content).toBe('answer');
  expect(sent.at(-1)).toEqual({ model: 'm-1', messages: [{ role: 'user', content: 'a ***' }] });
  expect(request).toEqual(asking('a secret', { stream: true }));
  await close();
});

it('refuses a request that no guard could judge or no route accepts', async () => {
  const { chat, close } = await open({});
  await expect(chat('alice', asking('hello', { model: 'other' }))).rejects.toMatchObject({ code: 'SVC-ROUTE-001' });
  await expect(chat('alice', asking('', { messages: [{ role: 'wizard' }] }))).rejects.toMatchObject({ code: 'SVC-REQ-001' });
  await expect(chat('alice', asking('half \ud83d'))).rejects.toMatchObject({ code: 'SVC-REQ-001' });
  await expect(chat('alice', asking('', { messages: 'hello' as never }))).rejects.toMatchObject({ code: 'SVC-REQ-001' });
  await expect(chat('alice', asking('x'.repeat(16_777_216)))).rejects.toMatchObject({ code: 'SVC-BUSY-001' });
  expect((await chat('alice', asking('there is room again'))).row.status).toBe('completed');
  await close();
});

it.each<[string, Partial<NewRoute>, string]>([
  ['no endpoint', { endpoints: [] }, 'has no endpoint'],
  [
    'a guard in a foreign stage',
    { egress: [{ name: 'one', guard: { ...masking.guard, stages: ['ingress'] } }] },
    'the guard one does not support the stage egress',
  ],
  ['two guards of one name', { ingress: [masking], egress: [{ ...masking, guard: guardOf(() => ALLOW) }] }, 'two guards'],
  ['a guard that needs both stages', { ingress: [finding('SVC-POL-003', 'observe')] }, 'a fault'],
  ['a guard that cannot work for an endpoint', { ingress: [finding('SVC-POL-010', 'enforce')] }, 'a fault'],
])('does not open with %s', async (_, route, message) => {
  await expect(open(route)).rejects.toThrow(message);
});

it('opens if a guard that only observes cannot do its work for an endpoint', async () => {
  const { close } = await open({ ingress: [finding('SVC-POL-010', 'observe')] });
  await close();
});

function finding(code: 'SVC-POL-003' | 'SVC-POL-010', mode: 'enforce' | 'observe') {
  const lint: Guard['lint'] = () => [
    code === 'SVC-POL-003' ? { code, message: 'a fault' } : { code, endpoint: 0, message: 'a fault' },
  ];
  return { name: 'finding', mode, guard: { ...masking.guard, lint } };
}

it('reopens a ledger only with the keys that it began with', async () => {
  const store = new SharedStore();
  const keys = {
    ledger: { signing_keys: [signingKey(generateKeyPairSync('ed25519').privateKey)] },
    content_keys: { newest: KeyTree.generate(), older: [], forget: null },
  };
  // This store returns records of every kind, although inventory records have no time.
  const again = { accepts_clock: true };
  await (await open({}, keys, store)).close();
  await (await open({}, { ...keys, ...again }, store)).close();
  await expect(open({}, { ledger: keys.ledger, ...again }, store)).rejects.toThrow('encrypted with the content key');
  await expect(open({}, { content_keys: keys.content_keys, ...again }, store)).rejects.toThrow(
    'the memory of the process that started the run',
  );
});

it('treats every start as a new configuration, unless the program names one', async () => {
  const digestOf = async (options: Partial<NewGateway>): Promise<string> => {
    const { chat, close } = await open({}, options);
    const { row } = await chat('alice', asking('hello'));
    await close();
    return row.config_digest;
  };
  expect(await digestOf({})).not.toBe(await digestOf({}));
  expect(await digestOf({ config_digest: 'release-7' })).toBe('release-7');
});

it('gives plugins the settings of the program, and refuses missing settings', async () => {
  const parts = pluginDeps('budget');
  await expect(parts.counters.read(['spent'])).rejects.toThrow('no counters');
  expect(() => parts.openNamespace('docs')).toThrow('retrieval is not available');
  expect(pluginDeps('budget', { directory: '/srv' })).toMatchObject({ name: 'budget', directory: '/srv' });
});
