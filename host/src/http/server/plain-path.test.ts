import { expect, it } from 'vitest';
import { plainPath } from './plain-path.ts';

it.each([
  ['/v1//models/', '/v1/models'],
  ['//v1/models?a=//b/', '/v1/models?a=//b/'],
  ['/v1/models/org/x', '/v1/models/org/x'],
  ['//metrics', '//metrics'],
  ['/metrics/', '/metrics/'],
  ['/', '/'],
  ['//v1x//', '//v1x//'],
])('%s is %s: a proxy may protect other paths by their exact form', (url, plain) => {
  expect(plainPath(url)).toBe(plain);
});
