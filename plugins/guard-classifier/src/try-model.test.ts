import { expect, test } from 'vitest';
import { tryModel } from './try-model.ts';

const moduleOf = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;

test.each([
  ['throws', 'throw new Error("no logits")', /no logits/],
  ['ends the thread', 'process.exit(3)', /exit code 3/],
])('a module that %s is refused', async (_, code, reason) => {
  await expect(tryModel(moduleOf(code))).rejects.toThrow(reason);
});

test('a module that loads is accepted', async () => {
  await tryModel(moduleOf('export default 1'));
});
