import { expect, it } from 'vitest';
import { isGuard } from './is-guard.ts';

const nothing = (): void => undefined;
const guard = { stages: ['egress'], verdicts: ['block'], check: nothing };

it.each([
  ['the least', {}],
  ['a stream', { stream: { capability: 'window', open: nothing } }],
  ['reservations', { reservations: { revalidate: nothing, settle: nothing } }],
  ['lint', { lint: nothing }],
  ['a model', { dependencies: ['model m sha256:0'] }],
])('%s is a guard', (_, more) => expect(isGuard({ ...guard, ...more })).toBe(true));

it.each([
  ['no object', null],
  ['a list', []],
  ['no check', { ...guard, check: undefined }],
  ['a stage that is no list', { ...guard, stages: 'egress' }],
  ['a stream that cannot be opened', { ...guard, stream: { capability: 'window' } }],
  ['a stream of another capability', { ...guard, stream: { capability: 'Post', open: nothing } }],
  ['a stream that is true', { ...guard, stream: true }],
  ['reservations that are not settled', { ...guard, reservations: { revalidate: nothing } }],
  ['reservations that are not revalidated', { ...guard, reservations: { settle: nothing } }],
  ['lint that is no method', { ...guard, lint: [] }],
  ['a dependency that is no text', { ...guard, dependencies: [1] }],
  ['a dependency of two lines', { ...guard, dependencies: ['a\nb'] }],
  ['a dependency that is too long', { ...guard, dependencies: ['a'.repeat(301)] }],
  ['dependencies with a hole', { ...guard, dependencies: new Array(1) }],
])('%s is not a guard', (_, value) => expect(isGuard(value)).toBe(false));

it('accepts methods of a class', () => {
  class Made {
    readonly stages = ['ingress'];
    readonly verdicts = ['block'];
    readonly stream = new (class {
      readonly capability = 'post';
      open(): void {}
    })();
    check(): void {}
  }
  expect(isGuard(new Made())).toBe(true);
});
