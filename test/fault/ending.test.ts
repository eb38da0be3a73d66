import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@svc/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echoConfig } from '../harness/gateway.ts';
import { chat, fill, type Unread, UnreadGateways } from '../harness/unread-gateways.ts';

/** Five seconds for runs, fifteen for all else, and some for a busy machine. */
const IN_TIME_MS = 25_000;
const TIMEOUT = { timeout: 120_000 };

let gateways: UnreadGateways;
beforeEach(async () => {
  gateways = await UnreadGateways.make(['hangs']);
});
afterEach(() => gateways.dispose());

/** How it ended, and that the next start is let in. */
async function stopAndStartAgain(running: Unread, ...signals: NodeJS.Signals[]): Promise<{ code: number | null }> {
  const since = performance.now();
  const ended = once(running.child, 'exit');
  for (const signal of signals) running.child.kill(signal);
  const [code] = await ended;
  expect(performance.now() - since).toBeLessThan(IN_TIME_MS);
  expect(await chat(await gateways.serveHere(echoConfig()))).toBe(200);
  return { code };
}

describe('a log that nobody reads', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('its reader is gone, and nothing was logged since: %s', TIMEOUT, async (signal) => {
    const { read, write } = gateways.pipe();
    const running = await gateways.serve(echoConfig(), { stdout: write });
    closeSync(read);
    expect(await stopAndStartAgain(running, signal)).toEqual({ code: 0 });
  });

  it('its reader is gone, and requests are still answered', TIMEOUT, async () => {
    const { read, write } = gateways.pipe();
    const running = await gateways.serve(echoConfig(), { stdout: write });
    closeSync(read);
    for (let n = 0; n < 20; n += 1) expect(await chat(running.url)).toBe(200);
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(Number(/^svc_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    expect(await stopAndStartAgain(running, 'SIGTERM')).toEqual({ code: 0 });
  });

  it('it is full: requests are answered, and a second signal changes nothing', TIMEOUT, async () => {
    const { read, write } = gateways.pipe();
    const running = await gateways.serve(echoConfig(), { stdout: write });
    fill(write);
    for (let n = 0; n < 20; n += 1) expect(await chat(running.url)).toBe(200);
    expect(await stopAndStartAgain(running, 'SIGTERM', 'SIGINT', 'SIGTERM')).toEqual({ code: 0 });
    closeSync(read);
  });

  it('it is a socket whose other end is closed', TIMEOUT, async () => {
    const running = await gateways.serve(echoConfig(), { stdout: 'pipe' });
    running.child.stdout?.destroy();
    expect(await chat(running.url)).toBe(200);
    expect(await stopAndStartAgain(running, 'SIGTERM')).toEqual({ code: 0 });
  });

  it('and nobody reads stderr either', TIMEOUT, async () => {
    const { read, write } = gateways.pipe();
    const running = await gateways.serve(
      { ...echoConfig(), exporters: [{ name: 'out', type: 'hangs', where: 'close' }] },
      { stdout: write },
    );
    running.child.stderr?.destroy();
    closeSync(read);
    expect(await stopAndStartAgain(running, 'SIGTERM')).toEqual({ code: 1 });
  });
});

const guarded = (where: string, file = ''): JsonObject =>
  echoConfig({
    packs: { hanging: { type: 'hangs', where, file, timeout_ms: 60_000 } },
    routes: { default: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['hanging'] } } },
  });

describe('a part that hangs', () => {
  it.each(['open', 'deliver', 'close'])('an exporter in %s', TIMEOUT, async (where) => {
    const running = await gateways.serve({ ...echoConfig(), exporters: [{ name: 'out', type: 'hangs', where }] });
    expect(await chat(running.url)).toBe(200);
    expect(await stopAndStartAgain(running, 'SIGTERM')).toEqual({ code: 1 });
    expect(running.errors()).toContain('exporter out');
  });

  it('a guard in close', TIMEOUT, async () => {
    const running = await gateways.serve(guarded('close'));
    expect(await stopAndStartAgain(running, 'SIGTERM')).toEqual({ code: 1 });
    expect(running.errors()).toContain('guard hanging');
  });

  it('a guard during its start', TIMEOUT, async () => {
    const { child, errors } = await gateways.serve(
      // Nothing is drained that was never served.
      { ...guarded('start'), server: { drain_delay: '10m' } },
      { stdout: 'pipe', waits: false },
    );
    // Signals are heard by now.
    while (!(await once(child.stdout ?? child, 'data')).toString().includes('ledger_keys'));
    expect(await stopAndStartAgain({ child, url: '', errors }, 'SIGTERM')).toEqual({ code: 1 });
    expect(errors()).toContain('start');
  });

  it('a timer that a guard did not clear', TIMEOUT, async () => {
    expect(await stopAndStartAgain(await gateways.serve(guarded('timer')), 'SIGTERM')).toEqual({ code: 0 });
  });

  it('a thread that opens a pipe nobody reads', TIMEOUT, async () => {
    const path = join(gateways.folder, 'unread');
    execFileSync('mkfifo', [path]);
    expect(await stopAndStartAgain(await gateways.serve(guarded('file', path)), 'SIGTERM')).toEqual({ code: 0 });
  });

  /** Of a gateway whose main thread is busy: the process is killed, and the next start is let in. */
  async function killedByWatchdog(own: UnreadGateways, where: 'check spins' | 'close spins'): Promise<void> {
    const running = await own.serve(guarded(where));
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
    expect(await chat(await own.serveHere(echoConfig()))).toBe(200);
  }

  it('the main thread: in a check, and in close', TIMEOUT, async () => {
    const others = await UnreadGateways.make(['hangs']);
    try {
      // Both wait for the same time limit.
      await Promise.all([killedByWatchdog(gateways, 'check spins'), killedByWatchdog(others, 'close spins')]);
    } finally {
      await others.dispose();
    }
  });
});
