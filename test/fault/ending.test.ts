import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@svc/kernel/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echoConfig, installPackages, MAIN } from '../harness/gateway.ts';

/** Five seconds for runs, fifteen for all else, and some for a busy machine. */
const IN_TIME_MS = 25_000;
const TIMEOUT = { timeout: 90_000 };

let folder: string;
const children: ChildProcess[] = [];
const descriptors: number[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-ending-'));
  await installPackages(folder, ['hangs']);
});
afterEach(async () => {
  for (const child of children.splice(0)) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  for (const fd of descriptors.splice(0)) closeSync(fd);
  await rm(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly errors: () => string;
}

/** `svc serve` whose stdout nobody may read: it listens once it answers. */
async function serve(config: JsonObject, stdout: number | 'pipe' | 'ignore' = 'ignore', waits = true): Promise<Running> {
  const port = await freePort();
  await writeFile(join(folder, 'svc.yaml'), JSON.stringify({ ...config, auth: { keys: [] } }));
  const args = ['serve', '--config', join(folder, 'svc.yaml'), '--port', `${port}`, '--no-auth'];
  const stdio: StdioOptions = ['ignore', stdout, 'pipe'];
  const child = spawn(process.execPath, [MAIN, ...args, '--runs-db', join(folder, 'runs-db')], { stdio });
  children.push(child);
  let errors = '';
  child.stderr?.on('data', (data: Buffer) => {
    errors += data.toString();
  });
  const running = { child, url: `http://127.0.0.1:${port}`, errors: () => errors };
  while (waits && !(await answers(running.url))) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${errors}`);
  }
  return running;
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/v1/health`)).status === 200;
  } catch {
    return false;
  }
}

async function chat(url: string): Promise<number> {
  const body = JSON.stringify({ model: 'default', messages: [{ role: 'user', content: 'hello' }] });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).status;
}

/** How it ended, and that the next start is let in. */
async function stopAndStartAgain(running: Running, ...signals: NodeJS.Signals[]): Promise<{ code: number | null }> {
  const since = performance.now();
  const ended = once(running.child, 'exit');
  for (const signal of signals) running.child.kill(signal);
  const [code] = await ended;
  expect(performance.now() - since).toBeLessThan(IN_TIME_MS);
  const again = await serve(echoConfig());
  expect(await chat(again.url)).toBe(200);
  return { code };
}

/** A pipe as a shell makes it, with nobody who reads. */
function pipe(): { read: number; write: number } {
  const path = join(folder, `pipe-${descriptors.length}`);
  execFileSync('mkfifo', [path]);
  const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const write = openSync(path, constants.O_WRONLY);
  descriptors.push(write);
  return { read, write };
}

function fill(path: string): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const page = Buffer.alloc(4096, '\n');
  try {
    for (;;) writeSync(fd, page);
  } catch {
    // Full.
  } finally {
    closeSync(fd);
  }
}

describe('a log that nobody reads', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('its reader is gone, and nothing was logged since: %s', TIMEOUT, async (signal) => {
    const { read, write } = pipe();
    const running = await serve(echoConfig(), write);
    closeSync(read);
    expect(await stopAndStartAgain(running, signal)).toEqual({ code: 0 });
  });

  it('its reader is gone, and requests go on being answered', TIMEOUT, async () => {
    const { read, write } = pipe();
    const running = await serve(echoConfig(), write);
    closeSync(read);
    for (let n = 0; n < 20; n += 1) expect(await chat(running.url)).toBe(200);
    const metrics = await (await fetch(`${running.url}/metrics`)).text();
    expect(Number(/^svc_log_lines_lost_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    expect(await stopAndStartAgain(running, 'SIGTERM')).toEqual({ code: 0 });
  });

  it('it is full: requests are answered, and a second signal changes nothing', TIMEOUT, async () => {
    const { read, write } = pipe();
    descriptors.push(read);
    const running = await serve(echoConfig(), write);
    fill(`/proc/self/fd/${write}`);
    for (let n = 0; n < 20; n += 1) expect(await chat(running.url)).toBe(200);
    expect(await stopAndStartAgain(running, 'SIGTERM', 'SIGINT', 'SIGTERM')).toEqual({ code: 0 });
  });

  it('it is a socket whose other end is closed', TIMEOUT, async () => {
    const running = await serve(echoConfig(), 'pipe');
    running.child.stdout?.destroy();
    expect(await chat(running.url)).toBe(200);
    expect(await stopAndStartAgain(running, 'SIGTERM')).toEqual({ code: 0 });
  });

  it('and neither stderr', TIMEOUT, async () => {
    const { read, write } = pipe();
    const running = await serve({ ...echoConfig(), exporters: [{ name: 'out', type: 'hangs', where: 'close' }] }, write);
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
    const running = await serve({ ...echoConfig(), exporters: [{ name: 'out', type: 'hangs', where }] });
    expect(await chat(running.url)).toBe(200);
    expect(await stopAndStartAgain(running, 'SIGTERM')).toEqual({ code: 1 });
    expect(running.errors()).toContain('exporter out');
  });

  it('a guard in close', TIMEOUT, async () => {
    const running = await serve(guarded('close'));
    expect(await stopAndStartAgain(running, 'SIGTERM')).toEqual({ code: 1 });
    expect(running.errors()).toContain('guard hanging');
  });

  it('a guard that starts', TIMEOUT, async () => {
    const { child, errors } = await serve(guarded('start'), 'pipe', false);
    // Signals are heard by now.
    while (!(await once(child.stdout ?? child, 'data')).toString().includes('ledger_keys'));
    expect(await stopAndStartAgain({ child, url: '', errors }, 'SIGTERM')).toEqual({ code: 1 });
    expect(errors()).toContain('start');
  });

  it('a timer that a guard forgot', TIMEOUT, async () => {
    expect(await stopAndStartAgain(await serve(guarded('timer')), 'SIGTERM')).toEqual({ code: 0 });
  });

  it('a thread that opens a pipe nobody reads', TIMEOUT, async () => {
    const path = join(folder, 'unread');
    execFileSync('mkfifo', [path]);
    expect(await stopAndStartAgain(await serve(guarded('file', path)), 'SIGTERM')).toEqual({ code: 0 });
  });

  it.each(['check spins', 'close spins'])('the main thread: %s', TIMEOUT, async (where) => {
    const running = await serve(guarded(where));
    const since = performance.now();
    const ended = once(running.child, 'exit');
    if (where === 'check spins') {
      chat(running.url).catch(() => undefined);
      while (!running.errors().includes('spinning')) await once(running.child.stderr ?? running.child, 'data');
    }
    running.child.kill('SIGTERM');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(performance.now() - since).toBeLessThan(IN_TIME_MS);
    expect(running.errors()).toMatch(/svc: .*ended/);
    expect(await chat((await serve(echoConfig())).url)).toBe(200);
  });
});
