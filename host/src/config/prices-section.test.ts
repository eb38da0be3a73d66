import { afterEach, describe, expect, it, test } from 'vitest';
import { removeProjects } from '../../../kernel/kernel/src/plugins/test-project.ts';
import { load } from './test-config.ts';

afterEach(removeProjects);

const ROUTES = 'routes: { r: { provider: p, model: gpt-4o, fallbacks: [{ provider: p, model: my-own }] } }';

async function found(prices: string) {
  const { config, diagnostics } = await load(`providers: { p: { type: parrot } }\n${ROUTES}\nprices: ${prices}`);
  const of = diagnostics.filter(({ path }) => /^(prices|routes)/.test(path));
  return { config, of: of.map(({ code, severity, path }) => [code, severity, path]) };
}

describe('models without a price', () => {
  test.each([
    ['catalogue', ['routes.r.model', 'routes.r.fallbacks.0.model']],
    ['{ vendors: { p: openai } }', ['routes.r.fallbacks.0.model']],
    ['{ vendors: { p: "https://api.openai.com/v1" }, models: { p/my-own: { input: 1, output: 2 } } }', []],
    ['{ catalogue: false, models: { my-own: { input: 1, output: 2 } } }', ['routes.r.model']],
  ])('cause a warning with %s', async (prices, paths) => {
    const { config, of } = await found(prices);
    expect(of).toEqual(paths.map((path) => ['SVC-POL-013', 'warning', path]));
    expect(config).not.toBeNull();
  });

  it('do not matter in a configuration without prices', async () => {
    const { diagnostics } = await load(`providers: { p: { type: parrot } }\n${ROUTES}`);
    expect(diagnostics.filter(({ code }) => code === 'SVC-POL-013')).toEqual([]);
  });
});

test.each([
  ['{ vendors: { q: openai } }', 'SVC-POL-002', 'prices.vendors.q'],
  ['{ vendors: { p: nobody } }', 'SVC-POL-002', 'prices.vendors.p'],
  ['{ models: { m: { input: -1, output: 1 } } }', 'SVC-POL-001', 'prices.models.m.input'],
  ['{ models: { m: { input: 1 } } }', 'SVC-POL-001', 'prices.models.m.output'],
  ['{ modles: {} }', 'SVC-POL-001', 'prices.modles'],
  ['elsewhere', 'SVC-POL-001', 'prices'],
])('%s is refused', async (prices, code, path) => {
  const { config, of } = await found(prices);
  expect(config).toBeNull();
  expect(of).toContainEqual([code, 'error', path]);
});
