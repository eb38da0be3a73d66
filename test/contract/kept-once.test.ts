import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, startUpstream, type Upstream } from '../fixtures/upstream.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

const TURNS = 25;
const LARGE = 'many words '.repeat(380_000);
const UNKNOWN = { status: 404, body: { code: 'SVC-RUN-001' } };

let upstream: Upstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startUpstream();
  gateway = await TestGateway.start({
    here: true,
    config: echoConfig({
      server: { record_content: true },
      providers: { upstream: { type: 'openai', base_url: upstream.url } },
      routes: { default: { provider: 'upstream', model: 'm', pipeline: { ingress: ['mask'], egress: ['mask'] } } },
    }),
  });
});
afterAll(async () => {
  await gateway.dispose();
  await upstream.close();
});

/** The run of a response whose model says this. */
async function ask(input: string, says: string, previous: string | null, stream = false): Promise<string> {
  upstream.respond(answer(says));
  const previous_response_id = previous === null ? null : `resp_${previous}`;
  const { status, text } = await gateway.post('/v1/responses', { model: 'default', input, stream, previous_response_id });
  expect(status).toBe(200);
  return String(/"svc_run_id":"([^"]+)"/.exec(text)?.[1]);
}

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
/** The same as an item of an answer. */
const item = ({ role, content }: { role: string; content: string }) =>
  role === 'user'
    ? { type: 'message', role, content }
    : expect.objectContaining({ type: 'message', role, content: [expect.objectContaining({ text: content })] });
const sent = (run_id: string) => gateway.get(`/v1/runs/${run_id}/request`);
const erase = (run_id: string) => gateway.request('DELETE', `/v1/runs/${run_id}/content`);
const goOn = (run_id: string) =>
  gateway.post('/v1/responses', { model: 'default', input: 'more', previous_response_id: `resp_${run_id}` });

async function onDisk(): Promise<number> {
  const folder = join(gateway.folder, 'runs-db');
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).blocks * 512);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

it('a turn of 150 bytes uses only kilobytes of disk, however large the conversation is', async () => {
  let previous = await ask(`pay ACC-1 ${LARGE}`, 'paid', null);
  const said = [user(`pay <ACCOUNT> ${LARGE}`), assistant('paid')];
  const before = await onDisk();
  for (let turn = 1; turn <= TURNS; turn += 1) {
    const input = `${turn} `.padEnd(150, 'x');
    previous = await ask(input, `answer ${turn}`, previous, turn % 2 === 0);
    said.push(user(input));
    expect(upstream.requests.at(-1)?.body).toMatchObject({ messages: said });
    said.push(assistant(`answer ${turn}`));
  }
  const grown = (await onDisk()) - before;
  expect(grown).toBeLessThan(TURNS * 10_000);
  const { body } = await sent(previous);
  expect(body).toMatchObject({ messages: said.slice(0, -1).map(item), gone_run_id: null });
  // Whatever ids the upstream gives, those of items are told apart.
  expect(new Set(body.messages.flatMap(({ id }: { id?: string }) => id ?? [])).size).toBe(TURNS);
});

it('a response after an erased one can be neither continued nor shown', async () => {
  const one = await ask('one', 'first', null);
  const two = await ask('two', 'second', one);
  const three = await ask('three', 'third', two);
  const other = await ask('other', 'third', one);
  expect((await erase(two)).status).toBe(200);
  for (const run_id of [two, three]) expect(await goOn(run_id)).toMatchObject(UNKNOWN);
  expect((await sent(three)).body).toMatchObject({ messages: null, gone_run_id: two });
  for (const run_id of [one, other]) expect((await goOn(run_id)).status).toBe(200);
  expect((await sent(other)).body.messages).toEqual([user('one'), assistant('first'), user('other')].map(item));
});
