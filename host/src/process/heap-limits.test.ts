import { expect, it } from 'vitest';
import { limitedLaunch } from './heap-limits.ts';

const launched = {
  execPath: '/bin/node',
  execArgv: ['--inspect'],
  argv: ['/bin/node', '/svc/main.js', 'serve'],
  env: { A: 'b' },
};

it('starts the same process again with limits, only once', () => {
  const again = limitedLaunch(launched);
  const flags = ['--max-semi-space-size=16', '--heap-growing-percent=100'];
  expect(again?.args).toEqual(['/bin/node', ...flags, '--inspect', '/svc/main.js', 'serve']);
  expect(again?.env).toEqual({ A: 'b', MALLOC_ARENA_MAX: '1' });
  expect(limitedLaunch({ ...launched, execArgv: flags })).toBeNull();
});

it.each([
  { execArgv: ['--max-old-space-size=4096'] },
  { execArgv: ['--max-semi-space-size', '64'] },
  { env: { NODE_OPTIONS: '--max-heap-size=512' } },
])('does not change a heap size that was chosen: %j', (chosen) => {
  expect(limitedLaunch({ ...launched, ...chosen })).toBeNull();
});

it('does not change an environment that sets the number of pools', () => {
  expect(limitedLaunch({ ...launched, env: { MALLOC_ARENA_MAX: '4' } })?.env).toEqual({ MALLOC_ARENA_MAX: '4' });
});
