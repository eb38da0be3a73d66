import { Writable } from 'node:stream';
import { WriteStream } from 'node:tty';
import { beforeEach, expect, it, vi } from 'vitest';
import { printable, styled } from './terminal.ts';

/** As `process.stdout` on a terminal, as far as colours are concerned. */
function stream(isTTY: boolean): NodeJS.WriteStream {
  const { getColorDepth } = WriteStream.prototype;
  return Object.assign(new Writable(), { isTTY, getColorDepth }) as unknown as NodeJS.WriteStream;
}

beforeEach(() => {
  for (const name of ['NO_COLOR', 'FORCE_COLOR', 'NODE_DISABLE_COLORS', 'CI']) vi.stubEnv(name, undefined);
  vi.stubEnv('TERM', 'xterm-256color');
});

it('uses colours on a terminal', () => {
  expect(styled('red', 'text', stream(true))).toBe('\u001b[31mtext\u001b[39m');
});

it('uses no colours with NO_COLOR or on a terminal without colours', () => {
  vi.stubEnv('NO_COLOR', '1');
  expect(styled('red', 'text', stream(true))).toBe('text');
  vi.stubEnv('NO_COLOR', undefined);
  vi.stubEnv('TERM', 'dumb');
  expect(styled('red', 'text', stream(true))).toBe('text');
});

it('uses no colours in a file or a pipe, even if they are forced', () => {
  vi.stubEnv('FORCE_COLOR', '1');
  expect(styled('red', 'text', stream(false))).toBe('text');
});

it('escapes what could change the terminal', () => {
  expect(printable('a\u001b[2J\nb\u009b\u202e\u2028\u007f é 漢 👩‍💻')).toBe(
    'a\\u001b[2J\\nb\\u009b\\u202e\\u2028\\u007f é 漢 👩‍💻',
  );
});
