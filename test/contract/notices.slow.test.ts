import type { JsonObject } from '@svc/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { echoConfig, type GatewayConfig, TestGateway } from '../harness/gateway.ts';
import { NOTICE_SECRET, NoticeReceiver, type ReceivedNotice, verifiedNotice } from '../harness/notice-receiver.ts';
import { until } from '../harness/until.ts';
import { decide, pausedRun, reconfigure } from './pausing-gateway.ts';

const PUBLIC = 'https://svc.example.org/gateway';
const TEXT = 'wire transfer of ACC-4711 to Mallory';

const closing: (() => Promise<unknown>)[] = [];
beforeAll(() => {
  process.env.NOTICE_SECRET = NOTICE_SECRET;
});
afterAll(async () => {
  delete process.env.NOTICE_SECRET;
  for (const close of closing.splice(0).toReversed()) await close();
});

async function listening(): Promise<NoticeReceiver> {
  const receiver = await new NoticeReceiver().listen();
  closing.push(() => receiver.close());
  return receiver;
}

const webhook = ({ url }: NoticeReceiver, more: JsonObject = {}): JsonObject => ({
  name: 'hook',
  type: 'webhook',
  url,
  secret: 'secret://env/NOTICE_SECRET#value',
  allow_private: true,
  on: ['paused', 'decision', 'expired'],
  ...more,
});

async function start(targets: JsonObject[], more: { notices?: JsonObject; config?: JsonObject } = {}): Promise<TestGateway> {
  const notices = { public_url: PUBLIC, group_for: '1s', targets, ...more.notices };
  const gateway = await TestGateway.start({ here: true, config: echoConfig({ notices, ...more.config }), packages: ['fails'] });
  closing.push(() => gateway.dispose());
  return gateway;
}

/** Its URL is a secret. */
function chat({ url }: NoticeReceiver, type: 'slack' | 'teams'): JsonObject {
  const name = `NOTICE_${type}`;
  process.env[name] = url;
  closing.push(async () => delete process.env[name]);
  return { name: type, type, url: `secret://env/${name}#value`, allow_private: true, on: ['paused'] };
}

const dataOf = ({ body }: ReceivedNotice) => body.data;

describe.concurrent('a webhook', () => {
  it('gets a signed message about a pending run, and one about the decision, without content', async () => {
    const receiver = await listening();
    const running = await start([webhook(receiver)]);
    const run_id = await pausedRun(running, TEXT);
    const [waiting] = await receiver.first(1);
    expect(verifiedNotice(waiting as ReceivedNotice)).toMatchObject({
      type: 'notice',
      timestamp: expect.stringMatching(/^2/),
      data: {
        count: 1,
        url: `${PUBLIC}/approvals#run=${run_id}`,
        groups: [{ event: 'paused', route: 'default', name: 'policy', code: 'wire', count: 1, run_ids: [run_id] }],
      },
    });
    await decide(running, run_id, 'denied');
    const [, decided] = await receiver.first(2);
    expect(dataOf(decided as ReceivedNotice)).toMatchObject({
      url: `${PUBLIC}/approvals#run=${run_id}`,
      groups: [{ event: 'decision', route: 'default', name: 'policy', code: 'denied', count: 1, run_ids: [run_id] }],
    });
    const all = receiver.received.map(({ text, headers }) => text + JSON.stringify(headers)).join();
    for (const content of ['transfer', 'ACC-4711', 'ACCOUNT', 'Mallory', 'alice', 'bob']) expect(all).not.toContain(content);
  });

  it('gets a message about a run that expired', async () => {
    const receiver = await listening();
    const running = await start([webhook(receiver, { on: ['expired'] })], {
      config: echoConfig({ approvals: { expire_after: '1s' } }),
    });
    const run_id = await pausedRun(running, TEXT);
    const since = Date.now();
    await until(() => Date.now() > since + 1_000);
    // A late decision denies it.
    expect((await decide(running, run_id, 'approved')).status).toBe(409);
    const [expired] = await receiver.first(1);
    expect(dataOf(expired as ReceivedNotice).groups).toMatchObject([{ event: 'expired', name: 'policy', run_ids: [run_id] }]);
  });

  it('gets the same message until it accepts it, and not again', async () => {
    const receiver = await listening();
    const running = await start([webhook(receiver)]);
    receiver.respond = (response) => response.writeHead(500).end();
    await pausedRun(running, TEXT);
    await receiver.first(2);
    await receiver.close();
    await running.until((output) => (output.includes('"reason":"ECONNREFUSED"') ? true : undefined));
    receiver.respond = (response) => response.writeHead(204).end();
    await receiver.listen();
    await running.logged('notice_sent');
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(1);
    expect(running.output).toContain('"reason":"HTTP_500"');
    const { text } = await running.get('/metrics');
    expect(text).toContain('svc_notices_total{target="hook",outcome="sent"} 1');
    expect(text).toMatch(/svc_notices_total\{target="hook",outcome="failed"\} [3-9]/);
  });

  it('gets unaccepted messages after a restart', async () => {
    const receiver = await listening();
    const running = await start([webhook(receiver)]);
    receiver.respond = (response) => response.writeHead(503, { 'retry-after': '3600' }).end();
    const run_id = await pausedRun(running, TEXT);
    const [refused] = await receiver.first(1);
    await running.logged('notice_failed');
    await running.stop();
    receiver.respond = (response) => response.writeHead(204).end();
    await running.launch();
    const [, again] = await receiver.first(2);
    expect(again?.headers['webhook-id']).toBe(refused?.headers['webhook-id']);
    expect(dataOf(again as ReceivedNotice).groups).toMatchObject([{ event: 'paused', run_ids: [run_id] }]);
  });

  it('that is removed causes a warning about unsent messages', async () => {
    const receiver = await listening();
    const running = await start([webhook(receiver)]);
    receiver.respond = (response) => response.writeHead(503, { 'retry-after': '3600' }).end();
    await pausedRun(running, TEXT);
    await running.logged('notice_failed');
    await running.stop();
    await reconfigure(running, echoConfig());
    await running.launch();
    await running.logged('notices_stranded');
    expect(running.output).toContain('"event":"notices_stranded","target":"hook","occurrences":1');
  });

  it('gets only its routes', async () => {
    const receiver = await listening();
    const pipeline = { ingress: ['policy'], egress: [] };
    const routes = { other: { provider: 'local', model: 'echo-1', pipeline } };
    const running = await start([webhook(receiver, { routes: ['other'] })], { config: echoConfig({ routes }) });
    await pausedRun(running, TEXT);
    await pausedRun(running, TEXT, { route: 'other' });
    const [only] = await receiver.first(1);
    expect(dataOf(only as ReceivedNotice)).toMatchObject({ count: 1, groups: [{ route: 'other' }] });
  });
});

it.concurrent('500 waiting runs cause one message, or a second one after a first', async () => {
  const receiver = await listening();
  const config = echoConfig({ approvals: { max_paused_per_principal: 1_000 } });
  const running = await start([webhook(receiver)], { notices: { group_for: '10s' }, config });
  const since = performance.now();
  const batch = () => Promise.all(Array.from({ length: 50 }, () => pausedRun(running, TEXT)));
  for (let sent = 0; sent < 500; sent += 50) await batch();
  await until(() => receiver.received.reduce((sum, each) => sum + dataOf(each).count, 0) === 500);
  // One at first, and one for each ten seconds in which there were more.
  expect(receiver.received.length).toBeLessThanOrEqual(2 + Math.floor((performance.now() - since) / 10_000));
  const last = dataOf(receiver.received.at(-1) as ReceivedNotice);
  expect(last).toMatchObject({ url: `${PUBLIC}/approvals`, groups: [{ event: 'paused', since: expect.any(String) }] });
  expect(last.groups[0].run_ids).toHaveLength(5);
});

it.concurrent('nothing is sent in quiet hours; when they end, one message is sent', async () => {
  const receiver = await listening();
  // They began some minutes ago.
  const at = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
  const quiet_hours = { from: at(-600_000), to: at(3_600_000) };
  const running = await start([
    webhook(receiver, { quiet_hours }),
    webhook(receiver, { name: 'awake', on: ['paused', 'guard_failed'] }),
  ]);
  await pausedRun(running, TEXT);
  await pausedRun(running, TEXT);
  await receiver.first(1);
  await running.stop();
  // The hours end by a change of the configuration.
  await reconfigure(running, echoConfig({ notices: { public_url: PUBLIC, targets: [webhook(receiver)] } }));
  const before = receiver.received.length;
  await running.launch();
  await receiver.first(before + 1);
  expect(dataOf(receiver.received[before] as ReceivedNotice)).toMatchObject({
    count: 2,
    groups: [{ event: 'paused', count: 2 }],
  });
});

describe.concurrent('chats', () => {
  it('Slack gets blocks with one link', async () => {
    const receiver = await listening();
    const running = await start([chat(receiver, 'slack')]);
    const run_id = await pausedRun(running, TEXT);
    const [message] = await receiver.first(1);
    expect(message?.headers['webhook-signature']).toBeUndefined();
    expect(message?.body.text).toBe('svc: 1 request was paused for approval');
    expect(message?.body.blocks.map(({ text }: { text: { type: string } }) => text.type)).toEqual([
      'plain_text',
      'plain_text',
      'mrkdwn',
    ]);
    expect(message?.text.match(/https?:/g)).toHaveLength(1);
    expect(message?.body.blocks[2].text.text).toBe(`<${PUBLIC}/approvals#run=${run_id}|Open>`);
    expect(running.output).not.toContain('in-the-url-is-a-secret');
  });

  it('Teams gets an Adaptive Card with one link', async () => {
    const receiver = await listening();
    const running = await start([chat(receiver, 'teams')]);
    await Promise.all([pausedRun(running, TEXT), pausedRun(running, TEXT)]);
    const [message] = await receiver.first(1);
    expect(message?.body).toMatchObject({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            type: 'AdaptiveCard',
            actions: [{ type: 'Action.OpenUrl', url: expect.stringContaining(`${PUBLIC}/approvals`) }],
          },
        },
      ],
    });
  });
});

describe.concurrent('operators are notified of', () => {
  it('guards that fail, grouped by guard', async () => {
    const receiver = await listening();
    const packs = { one: { type: 'fails', how: 'throws' }, two: { type: 'fails', how: 'throws', on_error: 'allow' } };
    const routes = Object.fromEntries(
      Object.keys(packs).map((name) => [name, { provider: 'local', model: 'echo-1', pipeline: { ingress: [name] } }]),
    );
    const running = await start([webhook(receiver, { on: ['guard_failed'] })], { config: echoConfig({ packs, routes }) });
    await Promise.all(['one', 'one', 'one', 'two'].map((model) => running.chat('hello', { model })));
    const [failed] = await receiver.first(1);
    const { count, url, groups } = dataOf(failed as ReceivedNotice);
    expect([count, url]).toEqual([4, `${PUBLIC}/admin`]);
    expect(groups).toMatchObject([
      { event: 'guard_failed', name: 'one', code: 'threw', count: 3 },
      { event: 'guard_failed', name: 'two', code: 'threw', count: 1 },
    ]);
  });

  it('a budget near its end, once', async () => {
    const receiver = await listening();
    const limits = [
      { scope: 'principal', unit: 'requests', amount: 5, period: 'day' },
      { scope: 'global', unit: 'requests', amount: 100, period: 'day' },
    ];
    const pipeline = { ingress: ['spend'], egress: ['spend'] };
    const config: GatewayConfig = echoConfig({
      packs: { spend: { type: 'budget', limits } },
      routes: { paid: { provider: 'local', model: 'echo-1', pipeline } },
    });
    const running = await start([webhook(receiver, { on: ['budget_low', 'paused'] })], { config });
    for (let count = 0; count < 3; count += 1) await running.chat('hello', { model: 'paid' });
    await running.chat('hello', { model: 'paid' });
    const [low] = await receiver.first(1);
    expect(dataOf(low as ReceivedNotice)).toMatchObject({
      url: `${PUBLIC}/usage`,
      groups: [{ event: 'budget_low', name: 'spend/principal-requests-day/alice', amount: 80, count: 1 }],
    });
    await running.chat('hello', { model: 'paid' });
    await running.chat('hello', { model: 'paid' });
    // The next message has nothing about the budget.
    await pausedRun(running, TEXT);
    const [, next] = await receiver.first(2);
    expect(dataOf(next as ReceivedNotice).groups).toMatchObject([{ event: 'paused' }]);
  });

  it('an exporter that lags', async () => {
    const receiver = await listening();
    const sink = await listening();
    sink.respond = (response) => response.writeHead(500).end();
    const exporters = [{ type: 'webhook', name: 'away', url: sink.url, secret: NOTICE_SECRET, allow_private: true }];
    const running = await start([webhook(receiver, { on: ['exporter_lagging'] })], {
      notices: { exporter_lag_records: 2 },
      config: echoConfig({ exporters }),
    });
    await running.chat('hello');
    await running.chat('hello');
    const [lagging] = await receiver.first(1);
    const { groups } = dataOf(lagging as ReceivedNotice);
    expect(groups).toMatchObject([{ event: 'exporter_lagging', name: 'away', count: 1 }]);
    expect(groups[0].amount).toBeGreaterThanOrEqual(2);
  });
});

it.concurrent('a receiver that does not answer delays no request', async () => {
  const receiver = await listening();
  const running = await start([webhook(receiver)]);
  receiver.respond = () => undefined;
  await pausedRun(running, TEXT);
  await receiver.first(1);
  expect((await running.chat('hello')).status).toBe(200);
  await pausedRun(running, TEXT);
});
