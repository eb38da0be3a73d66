import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { FOR_PEOPLE, loggerTo } from './logger.ts';
import { prettyLine } from './pretty-line.ts';

const REQUEST = {
  event: 'request',
  method: 'POST',
  path: '/v1/chat/completions',
  status: 200,
  route: 'default',
  run_id: '0199-run',
  outcome: 'completed',
  duration_ms: 12,
};
const columns = (line: string): string[] => stripVTControlCharacters(line).trimEnd().split(/ {2,}/);

/** The lines that a logger writes in a format. */
function logged(format: 'json' | 'pretty' | 'auto', log: (logger: ReturnType<typeof loggerTo>) => void): string[] {
  const lines: string[] = [];
  log(loggerTo({ write: (line) => void lines.push(line) }, null, { level: 'info', format }));
  return lines;
}

it('a request has its method, path, route, outcome, status, duration, tokens and run', () => {
  const [line = ''] = logged('pretty', (logger) =>
    logger.info({ ...REQUEST, [FOR_PEOPLE]: { input_tokens: 3, output_tokens: 40 } }),
  );
  expect(columns(line)).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d$/),
    'POST',
    '/v1/chat/completions',
    'default',
    'completed',
    '200',
    '12 ms',
    '3 → 40 tokens',
    'run 0199-run',
  ]);
});

it('requests are aligned, and a caller who left before a status is shown', () => {
  const other = { ...REQUEST, method: 'GET', path: '/v1/models', status: null, route: null, outcome: null, run_id: null };
  const [one = '', two = ''] = logged('pretty', (logger) => {
    logger.info(REQUEST);
    logger.info({ ...other, duration_ms: 12_345 });
  }).map(stripVTControlCharacters);
  expect(two.indexOf('gone')).toBe(one.indexOf('200'));
  expect(one.indexOf('12 ms') + '12 ms'.length).toBe(two.indexOf('12.3 s') + '12.3 s'.length);
});

it('another event has its fields, without those that its message contains', () => {
  const [line = ''] = logged('pretty', (logger) =>
    logger.warn({ event: 'lint', path: 'routes.a', count: 2, words: 'two words' }, 'warning at routes.a'),
  );
  expect(columns(line).slice(1)).toEqual(['WARN', 'lint: warning at routes.a', 'count=2', 'words="two words"']);
});

it('escapes what could change the terminal, and is one line', () => {
  const [line = ''] = logged('pretty', (logger) => logger.info({ event: 'x', a: 'b\u001b[2J\nc', 'k\u001b': 1 }, 'm\nn\u009b'));
  expect(stripVTControlCharacters(line.trimEnd())).not.toMatch(/\p{Cc}/u);
});

it.each(['json', 'auto'] as const)('in a pipe, %s has no fields for people, colours or columns', (format) => {
  const [line = ''] = logged(format, (logger) => logger.info({ ...REQUEST, [FOR_PEOPLE]: { input_tokens: 3 } }));
  const { time, ...fields } = JSON.parse(line);
  expect(fields).toEqual({ level: 'info', ...REQUEST });
  expect(line).toBe(`${JSON.stringify({ level: 'info', time, ...REQUEST })}\n`);
});

it('keeps a line that is no JSON object', () => expect(prettyLine('[1]\n')).toBe('[1]\n'));

it('has the chosen level, in children too', () => {
  const lines: string[] = [];
  const logger = loggerTo({ write: (line) => void lines.push(line) }, null, { level: 'warn', format: 'json' });
  logger.info({ event: 'a' });
  logger.child({ plugin: 'p' }).info({ event: 'b' });
  logger.child({ plugin: 'p' }).warn({ event: 'c' });
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['c']);
});
