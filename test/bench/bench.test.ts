import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HELP } from './options.ts';
import { PROTOCOLS } from './protocols.ts';
import type { Report } from './report.ts';

const MAIN = join(import.meta.dirname, 'main.ts');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function bench(...args: string[]): Promise<{ report: Report; shown: string }> {
  return benchWith(process.env, ...args);
}

async function benchWith(env: NodeJS.ProcessEnv, ...args: string[]): Promise<{ report: Report; shown: string }> {
  const json = join(folder, 'figures.json');
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--json', json, '--folder', folder, ...args], { env });
  return { report: JSON.parse(await readFile(json, 'utf8')), shown: stdout };
}

it('measures requests and streams of each gateway, and nothing fails', async () => {
  const { report, shown } = await bench(
    ...['--seconds', '0.1', '--rounds', '1', '--connections', '1', '--only', 'bare,gateway', '--open-streams', '5'],
  );
  const whole = { failures: 0, per_second: expect.any(Number), of_bare: expect.any(Number), of_portkey: null };
  const names = ['bare', 'gateway'];
  expect(report.requests).toEqual(names.map((target) => expect.objectContaining({ target, connections: 1, ...whole })));
  const streams = PROTOCOLS.flatMap((protocol) => names.map((target) => ({ target, protocol, failures: 0 })));
  expect(report.streams).toMatchObject(streams);
  expect(report.open).toMatchObject(names.map((target) => ({ target, failures: 0 })));
  expect(report.memory).toBeNull();
  for (const name of names) expect(shown).toContain(name);
});

it('measures the memory of a gateway between requests', async () => {
  const { report } = await bench('--memory', '--memory-requests', '100');
  expect(report.memory).toMatchObject([0, 10, 25, 50, 100].map((requests) => ({ requests, failures: 0 })));
  expect(report.requests).toBeNull();
});

it('kills a governed gateway, and finds a record of every call', async () => {
  const { report, shown } = await bench('--governed', '--only', 'governed', '--seconds', '0.1', '--rounds', '1');
  expect(report.governed).toMatchObject({
    requests: [{ target: 'governed', connections: 32, failures: 0 }],
    killed: [{ target: 'governed', kills: 1, calls: expect.any(Number), unrecorded: 0 }],
  });
  expect(report.governed?.killed[0]?.calls).toBeGreaterThan(0);
  expect(report.requests).toBeNull();
  expect(shown).toContain('without record');
});

/** Counting makes a gateway slow. */
const COUNTING_MS = 120_000;

it('counts the work of one request', { timeout: COUNTING_MS }, async () => {
  const { report } = await bench('--cost', '--only', 'gateway,guarded', '--seconds', '0.2');
  expect(report.cost).toMatchObject(['gateway', 'guarded'].map((target) => ({ target, kilobytes: expect.any(Number) })));
  const [gateway = [], guarded = []] = report.cost?.map(({ called }) => called.map(({ file }) => file)) ?? [];
  const rules = expect.stringMatching(/^plugins\/guard-rules\/src\//);
  expect(guarded).toContainEqual(rules);
  expect(gateway).not.toContainEqual(rules);
});

it('shows where the time of one request goes', { timeout: COUNTING_MS }, async () => {
  const { report, shown } = await bench('--profile', '--only', 'gateway,guarded', '--seconds', '0.5', '--rounds', '1');
  const parts = report.profile?.map((row) => row.parts.map(({ part }) => part)) ?? [];
  for (const of of parts) expect(of).toEqual(expect.arrayContaining(['store and ledger', 'upstream call', 'HTTP of Node']));
  for (const { busy_us, parts } of report.profile ?? []) expect(parts.reduce((sum, { us }) => sum + us, 0)).toBeCloseTo(busy_us);
  expect(shown).toContain('µs of one request');
});

it('states why a peer is not measured', async () => {
  const args = ['--peers', '--requests', '--seconds', '0.1', '--rounds', '1', '--connections', '1', '--only', 'bare,bifrost'];
  const { report, shown } = await benchWith({}, ...args);
  expect(report.missing).toEqual({ bifrost: expect.any(String) });
  expect(report.requests).toMatchObject([{ target: 'bare', failures: 0 }]);
  expect(shown).toContain(`not measured: ${report.missing.bifrost}`);
});

it('prints its options without measuring', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, '--help']);
  expect(stdout).toBe(HELP);
});

it('refuses unknown options as a usage error', async () => {
  await expect(bench('--only', 'other')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('other') });
});
