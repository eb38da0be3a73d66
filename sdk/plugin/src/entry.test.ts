import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const MAX_NAMES = 40;

it(`the entry for ordinary plugins exports at most ${MAX_NAMES} names, types among them`, () => {
  const source = readFileSync(new URL('./index.ts', import.meta.url), 'utf8');
  const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '\S+';$/gm)];
  // `export *` and exported declarations would not be counted.
  expect(source.match(/^export /gm)).toHaveLength(lists.length);
  const names = lists.flatMap(([, list = '']) => list.split(',').map((name) => name.trim()));
  expect(names.filter((name) => name !== '').length).toBeLessThanOrEqual(MAX_NAMES);
});
