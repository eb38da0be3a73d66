import { expect, it } from 'vitest';
import { ConfigSchema } from '../../host/src/config/schema.ts';
import { readPage } from './fences.ts';

it('names every section of the configuration, and no other', () => {
  const rows = [...readPage('docs/configuration.md').matchAll(/^\| (`.*?`) \| /gm)];
  const named = rows.flatMap(([, cell = '']) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  expect(named.sort()).toEqual(Object.keys(ConfigSchema.properties).sort());
});
