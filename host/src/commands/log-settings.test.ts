import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LOG_DEFAULTS } from '../telemetry/log/log-settings.ts';
import { logSettings, logsIn } from './log-settings.ts';

async function inFile(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-logs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'svc.yaml');
  writeFileSync(file, text);
  return logsIn(file);
}

it.each([
  ['telemetry: { logs: { level: debug, format: json } }', { level: 'debug', format: 'json' }],
  ['telemetry: { logs: { level: error } }', { level: 'error', format: 'auto' }],
  ['telemetry: {}', LOG_DEFAULTS],
  ['routes: {}', LOG_DEFAULTS],
  // These are errors of the configuration, which are reported when it is checked.
  ['telemetry: { logs: { level: loud } }', LOG_DEFAULTS],
  ['telemetry: { logs: [] }', LOG_DEFAULTS],
  ['telemetry: [', LOG_DEFAULTS],
  ['', LOG_DEFAULTS],
])('reads %j', async (text, expected) => expect(await inFile(text)).toEqual(expected));

it('has the defaults without a file', async () => expect(await logsIn('/nowhere/svc.yaml')).toEqual(LOG_DEFAULTS));

it('arguments take precedence', () => {
  const logs = { level: 'warn', format: 'json' } as const;
  expect(logSettings({}, logs)).toEqual(logs);
  expect(logSettings({ 'log-level': 'debug' }, logs)).toEqual({ ...logs, level: 'debug' });
  expect(logSettings({ 'log-format': 'pretty' }, logs)).toEqual({ ...logs, format: 'pretty' });
});

it.each([{ 'log-level': 'loud' }, { 'log-format': 'xml' }])('%j is a misuse', (values) => {
  expect(() => logSettings(values, LOG_DEFAULTS)).toThrow(expect.objectContaining({ exit_code: 2 }));
});
