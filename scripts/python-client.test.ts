import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generatedFiles } from './python-client.ts';

it.each([...generatedFiles()])('%s is what its sources say (else: npm run client-types)', (path, text) => {
  expect(readFileSync(path, 'utf8')).toBe(text);
});
