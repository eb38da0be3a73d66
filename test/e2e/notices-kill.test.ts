import { afterAll, beforeAll, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { NOTICE_SECRET, NoticeReceiver, type ReceivedNotice, verifiedNotice } from '../harness/notice-receiver.ts';

let receiver: NoticeReceiver;
let gateway: TestGateway;
beforeAll(async () => {
  receiver = await new NoticeReceiver().listen();
  const secret = 'secret://env/NOTICE_SECRET#value';
  const target = { name: 'hook', type: 'webhook', url: receiver.url, secret, allow_private: true, on: ['budget_low'] };
  const limits = [{ scope: 'principal', unit: 'requests', amount: 5, period: 'month' }];
  gateway = await TestGateway.start({
    config: echoConfig({
      notices: { public_url: 'https://svc.example.org', group_for: '1s', targets: [target] },
      packs: { spend: { type: 'budget', limits } },
      routes: { paid: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['spend'], egress: ['spend'] } } },
    }),
    env: { NOTICE_SECRET },
  });
});
afterAll(async () => {
  await gateway.dispose();
  await receiver.close();
});

it('a budget near its end is reported at its next request if the gateway was killed before it looked', async () => {
  const ask = async (): Promise<void> => expect((await gateway.chat('hello', { model: 'paid' })).status).toBe(200);
  for (let count = 0; count < 4; count += 1) await ask();
  await gateway.stop('SIGKILL');
  expect(receiver.received).toEqual([]);
  await gateway.launch();
  await ask();
  const [notice] = await receiver.first(1);
  expect(verifiedNotice(notice as ReceivedNotice)).toMatchObject({
    data: { groups: [{ event: 'budget_low', name: 'spend/principal-requests-month/alice', count: 1 }] },
  });
});
