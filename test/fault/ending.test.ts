import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { describe, expect, it, type TestContext } from 'vitest';
import { echoConfig } from '../harness/gateway.ts';
import { chat, fill, type Unread, UnreadGateways } from '../harness/unread-gateways.ts';

/** Five seconds for runs, fifteen for all else, and some for a busy machine. */
const IN_TIME_MS = 25_000;
const TIMEOUT = { timeout: 120_000 };

/** Of one test. Vitest's own `onTestFinished` does not know which of several tests at the same time calls it. */
async function newGateways({ onTestFinished }: TestContext): Promise<UnreadGateways> {
  const gateways = await UnreadGateways.make(['hangs']);
  onTestFinished(() => gateways.dispose());
  return gateways;
}

/** How it ended, and that the next start is let in. */
async function stopAndStartAgain(
  gateways: UnreadGateways,
  running: Unread,
  ...signals: NodeJS.Signals[]
): Promise<{ code: number | null }> {
  const since = performance.now();
  const ended = once(running.child, 'exit');
  for (const signal of signals) running.child.kill(signal);
  const [code] = await ended;
  expect(performance.now() - since).toBeLessThan(IN_TIME_MS);
  expect(await chat(await gateways.serveHere(echoConfig()))).toBe(200);
  return { code };
}

describe('a log that nobody reads', () => {
  it('its reader is gone, and nothing was logged since', TIMEOUT, async (context) => {
    const gateways = await newGateways(context);
    const { read, write } = gateways.pipe();
    const running = await gateways.serve(echoConfig(), { stdout: write });
    closeSync(read);
    expect(await stopAndStartAgain(gateways, running, 'SIGINT')).toEqual({ code: 0 });
  });

  it('its reader is gone, and requests are still answered', TIMEOUT, async (context) => {
    const gateways = await newGateways(context);
    const { read, write } = gateways.pipe();
    const running = await gateways.serve(echoConfig(), { stdout: write });
    closeSync(read);
    for (let n = 0; n < 20; n += 1) expect(await chat(running.url)).toBe(200);
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(Number(/^svc_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    expect(await stopAndStartAgain(gateways, running, 'SIGTERM')).toEqual({ code: 0 });
  });

  it('it is full: requests are answered, and a second signal changes nothing', TIMEOUT, async (context) => {
    const gateways = await newGateways(context);
    const { read, write } = gateways.pipe();
    const running = await gateways.serve(echoConfig(), { stdout: write });
    fill(write);
    for (let n = 0; n < 20; n += 1) expect(await chat(running.url)).toBe(200);
    expect(await stopAndStartAgain(gateways, running, 'SIGTERM', 'SIGINT', 'SIGTERM')).toEqual({ code: 0 });
    closeSync(read);
  });

  it('it is a socket whose other end is closed', TIMEOUT, async (context) => {
    const gateways = await newGateways(context);
    const running = await gateways.serve(echoConfig(), { stdout: 'pipe' });
    running.child.stdout?.destroy();
    expect(await chat(running.url)).toBe(200);
    expect(await stopAndStartAgain(gateways, running, 'SIGTERM')).toEqual({ code: 0 });
  });

  it('and nobody reads stderr either', TIMEOUT, async (context) => {
    const gateways = await newGateways(context);
    const { read, write } = gateways.pipe();
    const running = await gateways.serve(
      { ...echoConfig(), exporters: [{ name: 'out', type: 'hangs', where: 'close' }] },
      { stdout: write },
    );
    running.child.stderr?.destroy();
    closeSync(read);
    expect(await stopAndStartAgain(gateways, running, 'SIGTERM')).toEqual({ code: 1 });
  });
});

const guarded = (where: string, file = ''): JsonObject =>
  echoConfig({
    packs: { hanging: { type: 'hangs', where, file, timeout_ms: 60_000 } },
    routes: { default: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['hanging'] } } },
  });

// At the same time, because they wait for time limits.
describe.concurrent('a part that hangs', () => {
  it('an exporter in open, in deliver and in close, and a guard in close', TIMEOUT, async (context) => {
    const gateways = await newGateways(context);
    const ways = ['open', 'deliver', 'close'];
    const exporters = ways.map((where) => ({ name: `in-${where}`, type: 'hangs', where }));
    const running = await gateways.serve({ ...guarded('close'), exporters });
    expect(await chat(running.url)).toBe(200);
    // All wait for the same time limit.
    expect(await stopAndStartAgain(gateways, running, 'SIGTERM')).toEqual({ code: 1 });
    for (const part of [...ways.map((where) => `exporter in-${where}`), 'guard hanging'])
      expect(running.errors()).toContain(part);
  });

  it('a guard during its start', TIMEOUT, async (context) => {
    const gateways = await newGateways(context);
    const { child, errors } = await gateways.serve(
      // Nothing is drained that was never served.
      { ...guarded('start'), server: { drain_delay: '10m' } },
      { stdout: 'pipe', waits: false },
    );
    // Signals are heard by now.
    while (!(await once(child.stdout ?? child, 'data')).toString().includes('ledger_keys'));
    expect(await stopAndStartAgain(gateways, { child, url: '', errors }, 'SIGTERM')).toEqual({ code: 1 });
    expect(errors()).toContain('start');
  });

  it('a timer that a guard did not clear', TIMEOUT, async (context) => {
    const gateways = await newGateways(context);
    expect(await stopAndStartAgain(gateways, await gateways.serve(guarded('timer')), 'SIGTERM')).toEqual({ code: 0 });
  });

  it('a thread that opens a pipe nobody reads', TIMEOUT, async (context) => {
    const gateways = await newGateways(context);
    const path = join(gateways.folder, 'unread');
    execFileSync('mkfifo', [path]);
    expect(await stopAndStartAgain(gateways, await gateways.serve(guarded('file', path)), 'SIGTERM')).toEqual({ code: 0 });
  });

  it.for(['check spins', 'close spins'])('the main thread, in %s: the process is killed', TIMEOUT, async (where, context) => {
    const gateways = await newGateways(context);
    const running = await gateways.serve(guarded(where));
    const since = performance.now();
    const ended = once(running.child, 'exit');
    if (where === 'check spins') {
      chat(running.url).catch(() => undefined);
      while (!running.errors().includes('spinning')) await once(running.child.stderr ?? running.child, 'data');
    }
    running.child.kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGKILL']);
    // On a busy machine it takes longer to tell a loop from a thread that is given no time.
    expect(performance.now() - since).toBeLessThan(2 * IN_TIME_MS);
    expect(running.errors()).toMatch(/svc: .*The process was killed/);
    expect(await chat(await gateways.serveHere(echoConfig()))).toBe(200);
  });
});
