import { afterEach, expect, it } from 'vitest';
import { removeProjects } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { brief, load } from './test-config.ts';

afterEach(removeProjects);

const withLimits = (limits: string) =>
  load(`limits: [${limits}]
auth: { keys: [{ principal_id: alice, team: blue, key_hash: "sha256:${'0'.repeat(64)}" }] }
providers: { p: { type: parrot } }
routes: { default: { provider: p, model: m } }
`);

it('reads each kind of limit', async () => {
  const { config, diagnostics } = await withLimits(
    '{ principal: "*", requests_per_minute: 60 }, { team: blue, tokens_per_minute: 1000, concurrent: 2 }, { key: k-1, concurrent: 1 }, { route: default, concurrent: 9 }',
  );
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(config?.limits).toEqual([
    { subject: 'principal', name: '*', requests_per_minute: 60, tokens_per_minute: null, concurrent: null },
    { subject: 'team', name: 'blue', requests_per_minute: null, tokens_per_minute: 1000, concurrent: 2 },
    { subject: 'key', name: 'k-1', requests_per_minute: null, tokens_per_minute: null, concurrent: 1 },
    { subject: 'route', name: 'default', requests_per_minute: null, tokens_per_minute: null, concurrent: 9 },
  ]);
  expect(config?.keys).toMatchObject([{ team: 'blue' }]);
});

it.each([
  ['{ concurrent: 1 }', 'SVC-POL-001 error 1:10 limits.0'],
  ['{ team: a, route: default, concurrent: 1 }', 'SVC-POL-001 error 1:10 limits.0'],
  ['{ team: a }', 'SVC-POL-001 error 1:10 limits.0'],
  ['{ team: a, concurrent: 1 }, { team: a, requests_per_minute: 1 }', 'SVC-POL-001 error 1:38 limits.1'],
  ['{ route: defualt, concurrent: 1 }', 'SVC-POL-002 error 1:19 limits.0.route'],
  ['{ team: a, concurrent: 0 }', 'SVC-POL-001 error 1:33 limits.0.concurrent'],
])('refuses %s', async (limits, finding) => {
  const result = await withLimits(limits);
  expect(result.config).toBeNull();
  expect(brief(result).filter((line) => line.includes(' error '))).toEqual([finding]);
});
