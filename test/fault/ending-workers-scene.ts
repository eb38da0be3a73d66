import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { JsonObject } from '@svc/contracts';
import { expect, it, onTestFinished } from 'vitest';
import { echoConfig } from '../harness/gateway.ts';
import type { RunsDb } from '../harness/runs-dbs.ts';
import { chat, fill, UnreadGateways } from '../harness/unread-gateways.ts';

export function testEnding(open: () => Promise<RunsDb>, logs: readonly string[], hangs: readonly string[]): void {
  /** Five seconds for runs, fifteen for everything else, and some for a busy machine. */
  const IN_TIME_MS = 25_000;
  const TIMEOUT = { timeout: 120_000 };

  async function scene(): Promise<{ gateways: UnreadGateways; runs: RunsDb }> {
    const [gateways, runs] = await Promise.all([UnreadGateways.make(['hangs']), open()]);
    onTestFinished(async () => {
      await gateways.dispose();
      await runs.remove();
    });
    return { gateways, runs };
  }

  const twoWorkers = (where: string): JsonObject =>
    echoConfig({
      server: { workers: 2 },
      packs: { hanging: { type: 'hangs', where, timeout_ms: 60_000 } },
      routes: { default: { provider: 'local', model: 'echo-1', pipeline: { ingress: ['hanging'] } } },
    });
  const QUIET: JsonObject = echoConfig({ server: { workers: 2 } });

  it.each(logs)('several processes with a %s log answer, and shut down normally', TIMEOUT, async (how) => {
    const { gateways, runs } = await scene();
    const { read, write } = gateways.pipe();
    const { child, url } = await gateways.serve(QUIET, { stdout: write, runs_db: runs.url });
    if (how === 'closed') closeSync(read);
    else fill(write);
    for (let n = 0; n < 20; n += 1) expect(await chat(url)).toBe(200);
    const since = performance.now();
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(performance.now() - since).toBeLessThan(IN_TIME_MS);
    if (how === 'full') closeSync(read);
  });

  async function endsInTime(where: string): Promise<void> {
    const { gateways, runs } = await scene();
    const { child, url, errors } = await gateways.serve(twoWorkers(where), { runs_db: runs.url });
    if (where === 'check spins') {
      chat(url).catch(() => undefined);
      while (!errors().includes('spinning')) await once(child.stderr ?? child, 'data');
    }
    const since = performance.now();
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(performance.now() - since).toBeLessThan(IN_TIME_MS);
    // Another gateway can open the ledger.
    expect(await chat(await gateways.serveHere(echoConfig(), runs.url))).toBe(200);
  }

  // All wait for the same time limit.
  it(`several processes end in time if one hangs: ${hangs.join(', and ')}`, TIMEOUT, async () => {
    await Promise.all(hangs.map(endsInTime));
  });
}
