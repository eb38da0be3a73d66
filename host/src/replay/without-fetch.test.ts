import { createServer } from 'node:http';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withoutFetch } from './without-fetch.ts';

let calls = 0;
const server = createServer((_, response) => {
  calls += 1;
  response.end();
});
let url: string;
beforeEach(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
});
afterEach(() => server.close());

it('calls nothing meanwhile, and again afterwards', async () => {
  await expect(withoutFetch(() => fetch(url))).rejects.toThrow('nothing is called');
  expect(calls).toBe(0);
  await fetch(url);
  expect(calls).toBe(1);
});
