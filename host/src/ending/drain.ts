import { setTimeout as wait } from 'node:timers/promises';

/** How long a load balancer has to notice that the gateway is no longer ready. */
const DELAY_MS = 5_000;
/** How long runs in progress have to end. Most streams end by themselves. */
const TIMEOUT_MS = 60_000;
const TIMEOUT_IN_TERMINAL_MS = 5_000;

function isTerminal(): boolean {
  return process.stdout.isTTY || process.stderr.isTTY;
}

/** How long new connections are still served after the signal to stop. Zero in a terminal, where there is no load balancer and a person waits. */
export function drainDelayMs(configured_ms: number | null): number {
  return configured_ms ?? (isTerminal() ? 0 : DELAY_MS);
}

/** How long runs in progress then have to end, while new requests are refused. */
export function drainTimeoutMs(configured_ms: number | null): number {
  return configured_ms ?? (isTerminal() ? TIMEOUT_IN_TERMINAL_MS : TIMEOUT_MS);
}

/** @param lost rejects when new connections can no longer be handed on */
export async function drainDelay(ms: number, lost: Promise<never> | undefined): Promise<void> {
  // Returns in the same turn of the event loop, so that the gateway accepts no new work after it has announced the shutdown.
  if (ms === 0) return;
  const over = wait(ms);
  await (lost === undefined ? over : Promise.race([over, lost.catch(() => undefined)]));
}
