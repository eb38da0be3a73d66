import { expect, it } from 'vitest';
import { closeInstances } from './close-instances.ts';
import type { ResolvedConfig } from './resolved.ts';

type Providers = ResolvedConfig['providers'];

it('logs an error of close without its message, and closes the other instances', async () => {
  const [lines, closed]: [object[], string[]] = [[], []];
  const instances = {
    bad: async () => Promise.reject(new TypeError('secret')),
    good: async () => void closed.push('good'),
  };
  const providers = Object.entries(instances).map(([name, close]) => [name, { name, instance: { close } }] as const);
  const config = { providers: new Map(providers) as unknown as Providers, packs: new Map(), rag: null, backends: [] };
  await closeInstances(config, { warn: (line) => lines.push(line) });
  expect(lines).toEqual([{ event: 'close_failed', part: 'provider bad', reason: 'TypeError' }]);
  expect(closed).toEqual(['good']);
});
