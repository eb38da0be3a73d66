import { parentPort, workerData } from 'node:worker_threads';
import { errorName } from '@svc/contracts';
import { readThrown, type Thrown } from '../observing/thrown.ts';

/** An order from the pool to a thread, which works on one task at a time. */
export type Order =
  | { readonly kind: 'begin'; readonly id: number; readonly moduleUrl: string; readonly input: unknown }
  /** Continue with a task that yielded. */
  | { readonly kind: 'resume'; readonly id: number }
  /** Drop a task that has yielded: it was cancelled. */
  | { readonly kind: 'drop'; readonly id: number };

/** A report from a thread. Errors sent between threads lose their own fields, so failures are sent as plain values. */
export type Report = { readonly id: number } & (
  | { readonly kind: 'loaded' }
  | { readonly kind: 'yielded' }
  | { readonly kind: 'done'; readonly output: unknown }
  | { readonly kind: 'failed'; readonly reason: 'threw' | 'not_loaded'; readonly name: string; readonly thrown: Thrown }
);

/** The last report of a thread that ends because of an uncaught error. */
export interface LastReport {
  readonly kind: 'ending';
  readonly thrown: Thrown;
}

/** How long a task may use the thread while others wait. */
const TURN_MS = 20;

/** Not 0 when another task waits for this thread. */
const wanted = workerData as Int32Array;
/** Tasks that have yielded or are running. */
const begun = new Map<number, Iterator<unknown, unknown>>();

parentPort?.on('message', (order: Order) => {
  switch (order.kind) {
    case 'begin':
      void begin(order);
      break;
    case 'resume':
      advance(order.id);
      break;
    case 'drop':
      begun.delete(order.id);
      break;
  }
});

async function begin({ id, moduleUrl, input }: Extract<Order, { kind: 'begin' }>): Promise<void> {
  let isLoaded = false;
  try {
    const module: { default?: unknown } = await import(moduleUrl);
    send({ id, kind: 'loaded' });
    if (typeof module.default !== 'function') throw new TypeError('the module has no default function');
    isLoaded = true;
    const output: unknown = await module.default(input);
    if (isSteps(output)) {
      begun.set(id, output);
      advance(id);
    } else send({ id, kind: 'done', output });
  } catch (error) {
    fail(id, error, isLoaded ? 'threw' : 'not_loaded');
  }
}

/** Runs a task until it ends, or until its turn is over and others wait. */
function advance(id: number): void {
  const steps = begun.get(id);
  if (steps === undefined) return;
  const until = performance.now() + TURN_MS;
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) {
        begun.delete(id);
        send({ id, kind: 'done', output: step.value });
        return;
      }
      if (performance.now() < until || Atomics.load(wanted, 0) === 0) continue;
      send({ id, kind: 'yielded' });
      return;
    }
  } catch (error) {
    begun.delete(id);
    fail(id, error, 'threw');
  }
}

function isSteps(value: unknown): value is Iterator<unknown, unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'next' in value;
}

/** The message is not sent, because it may quote the input. */
function fail(id: number, error: unknown, reason: 'threw' | 'not_loaded'): void {
  send({ id, kind: 'failed', reason, name: errorName(error), thrown: readThrown(error) });
}

/**
 * Without this handler, Node sends a copy of the error to the main thread. A copy that cannot be read there would be an uncaught error of the main
 * thread and end the process. Copying an error with a long chain of causes takes minutes.
 */
process.on('uncaughtException', (error) => {
  send({ kind: 'ending', thrown: readThrown(error) });
  process.exit(1);
});

function send(report: Report | LastReport): void {
  parentPort?.postMessage(report);
}
