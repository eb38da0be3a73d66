import type { SecretsBackend } from '@svc/contracts';
import { expect, it } from 'vitest';
import { Report } from './report.ts';
import { Secrets } from './resolve-secrets.ts';

const KEPT = 'secret://vault/a#k';
const READ = 'secret://vault/b#k';
const GONE = 'secret://vault/c#k';

function secretsOf(backend: SecretsBackend): Secrets {
  const report = new Report('svc.yaml', () => ({ line: 1, column: 1 }));
  return new Secrets({ report, directory: '.', backendOf: async () => backend });
}

it('the secrets of sections that a reload does not read are asked for again, and compared with the values in use', async () => {
  const answering = (value: string): SecretsBackend => ({ resolve: async () => ({ value, refresh_after_ms: 5_000 }) });
  const former = secretsOf(answering('first'));
  await former.resolve([KEPT, READ, GONE], []);
  const next = secretsOf(answering('second'));
  await next.resolve([READ], []);
  await next.keep(former.leased, (reference) => reference !== GONE);
  expect([...next.leased].map(([reference, { value }]) => [reference, value])).toEqual([
    [READ, 'second'],
    [KEPT, 'first'],
  ]);
  expect(await next.leased.get(KEPT)?.ask(new AbortController().signal)).toMatchObject({ value: 'second' });
});
