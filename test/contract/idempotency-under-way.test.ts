import { afterEach, expect, it } from 'vitest';
import { completionOf, OpenGateway } from '../harness/open-gateway.ts';

let opened: OpenGateway;
afterEach(() => opened.dispose());

const keyFor = (content: string) => ({ idempotency_key: { value: 'key', endpoint: 'POST /v1/runs', body: { content } } });

it('a repetition while its run is in progress returns the run without waiting; another body is refused', async () => {
  const called = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let calls = 0;
  const complete = async () => {
    calls += 1;
    called.resolve();
    await held.promise;
    return { completion: completionOf('answer'), unsupported: [] };
  };
  opened = await OpenGateway.start({ complete });
  const first = opened.start('hello', keyFor('hello'));
  await called.promise;
  const again = await opened.start('hello', keyFor('hello'));
  expect(again).toMatchObject({ row: { status: 'running' }, completion: null });
  await expect(opened.start('other', keyFor('other'))).rejects.toMatchObject({ code: 'SVC-RUN-006' });
  held.resolve();
  const { row } = await first;
  expect(again.row.run_id).toBe(row.run_id);
  const after = await opened.start('hello', keyFor('hello'));
  expect(after).toMatchObject({ row: { run_id: row.run_id, status: 'completed' }, completion: { object: 'chat.completion' } });
  expect(calls).toBe(1);
});
