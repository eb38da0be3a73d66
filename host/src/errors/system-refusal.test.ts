import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { systemRefusal } from './system-refusal.ts';

function thrownBy(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return error;
  }
}

it('names the refused operation, its path and the code', () => {
  const said = systemRefusal(thrownBy(() => readFileSync('/no/such/file')));
  expect(said).toContain('/no/such/file');
  expect(said).toContain('(ENOENT)');
});

it('names the port', () => {
  const error = Object.assign(new Error(), { code: 'EADDRINUSE', syscall: 'listen', address: '127.0.0.1', port: 8000 });
  expect(systemRefusal(error)).toContain('127.0.0.1:8000 (EADDRINUSE)');
});

it.each([new Error('x'), new TypeError('x'), Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_TYPE' }), 'text', null])(
  'is silent about %s, which is a bug',
  (error) => {
    expect(systemRefusal(error)).toBeNull();
  },
);
