import { setTimeout as wait } from 'node:timers/promises';

/** As long as a load balancer may take to see that the gateway is not ready any more. */
const DEFAULT_MS = 5_000;

/** How long new connections are still served after the signal to stop. Nobody balances load to a terminal, where a person waits. */
export function drainDelayMs(configured_ms: number | null): number {
  const isTerminal = process.stdout.isTTY || process.stderr.isTTY;
  return configured_ms ?? (isTerminal ? 0 : DEFAULT_MS);
}

/** @param lost rejects once there is nobody any more who could hand on a new connection */
export async function drainDelay(ms: number, lost: Promise<never> | undefined): Promise<void> {
  // Not even a turn of the event loop: who was told that the gateway is stopping finds it closed to new work.
  if (ms === 0) return;
  const over = wait(ms);
  await (lost === undefined ? over : Promise.race([over, lost.catch(() => undefined)]));
}
