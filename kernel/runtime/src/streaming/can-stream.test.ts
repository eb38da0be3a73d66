import { expect, it } from 'vitest';
import { ALLOW, guardOf, nodeOf, routeOf } from '../test-parts.ts';
import { canStream } from './can-stream.ts';
import { wordGuard } from './test-parts.ts';

const streaming = wordGuard('x', 'block');

it.each<[string, boolean, Parameters<typeof routeOf>[0]]>([
  ['no egress node', true, {}],
  ['a node that streams', true, { egress: [nodeOf('a', streaming)] }],
  [
    'a node that does not',
    false,
    {
      egress: [nodeOf('a', streaming), nodeOf('b', { ...guardOf(() => ALLOW), verdicts: ['allow', 'block'] })],
    },
  ],
  ['one that may pause', false, { egress: [nodeOf('a', { ...streaming, verdicts: ['block', 'require_approval'] })] }],
  ['one whose failure pauses', false, { egress: [nodeOf('a', streaming, { on_error: 'require_approval' })] }],
  ['one that fails open', false, { egress: [nodeOf('a', streaming, { on_error: 'allow' })] }],
  ['one that only observes', true, { egress: [nodeOf('a', streaming, { on_error: 'allow', mode: 'observe' })] }],
  [
    'one that only observes, and does not stream',
    true,
    {
      egress: [
        nodeOf(
          'a',
          guardOf(() => ALLOW),
          { mode: 'observe' },
        ),
        nodeOf('b', streaming),
      ],
    },
  ],
  ['a rule for what no guard reads', false, { unscannable: 'block' }],
])('with %s an answer is sent as it arrives: %s', (_what, expected, route) => {
  expect(canStream(routeOf(route))).toBe(expected);
});
