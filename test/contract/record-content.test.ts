import { afterEach, expect, it } from 'vitest';
import { echoConfig, TestGateway } from '../harness/gateway.ts';

let gateway: TestGateway;
afterEach(() => gateway.dispose());

async function answerKept(record_content: boolean): Promise<unknown> {
  gateway = await TestGateway.start({ here: true, config: echoConfig({ server: { record_content } }) });
  const { headers } = await gateway.chat('from ACC-1');
  await gateway.stop();
  await gateway.launch();
  const { status, body } = await gateway.get(`/v1/runs/${headers.get('x-svc-run-id')}/response`);
  expect(status).toBe(200);
  return body.completion;
}

it('a chat that was answered synchronously leaves no content', async () => {
  expect(await answerKept(false)).toBeNull();
});

it('with record_content its answer is stored, as the guards left it', async () => {
  expect(await answerKept(true)).toMatchObject({ model: 'default', choices: [{ message: { content: 'echo: from <ACCOUNT>' } }] });
});
