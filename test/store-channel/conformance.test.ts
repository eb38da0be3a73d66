import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Clock, Store } from '@svc/contracts';
import { type StoreFixture, storeConformance } from '@svc/sdk/testing';
import { afterAll, describe, it } from 'vitest';
import { ChannelStore } from '../../host/src/store-channel/channel-store.ts';
import { serveStore } from '../../host/src/store-channel/serve-store.ts';
import { openStore, temporaryFolder } from '../../plugins/store-lmdb/src/test-store.ts';
import { isOrder, LINES, lineOf, type Order, portChannel, processChannel } from './channels.ts';

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
/** A gateway copies nothing: what does opens the store itself. */
const COPIES = /^(dump:|crash: is complete or empty when killed during a load)/;
/** Questions and their answers are cloned in the same way over a port and over IPC. */
const QUESTIONS = /^(counters|records|runs|seal|sessions):/;
/** The same store is killed more often in the tests of its package. */
const CRASH_ROUNDS = 2;
const FORKED: ForkOptions = { serialization: 'advanced', stdio: ['ignore', 'pipe', 'inherit', 'ipc'] };

/** LMDB that is held somewhere, and stores over channels to it. */
interface Holder {
  connect(): Store;
  end(): Promise<void>;
}

/** In this thread. */
async function heldHere(folder: string, clock: Clock): Promise<Holder & { serve: ReturnType<typeof serveStore> }> {
  const store = await openStore(folder, clock);
  const serve = serveStore(store);
  const ports: MessagePort[] = [];
  return {
    serve,
    connect: () => {
      const { port1, port2 } = new MessageChannel();
      ports.push(port1);
      serve(portChannel(port1));
      return new ChannelStore(portChannel(port2));
    },
    end: async () => {
      for (const port of ports) port.close();
      await store.close();
    },
  };
}

/** The process that holds the folders of all tests, because a start takes half a second. After a kill, there is another one. */
let shared: ChildProcess | undefined;
afterAll(async () => {
  if (shared === undefined || isEnded(shared)) return;
  shared.disconnect();
  await once(shared, 'exit');
});

const isEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function sharedHolder(): Promise<ChildProcess> {
  if (shared !== undefined && !isEnded(shared)) return shared;
  shared = fork(fileOf('./holder.ts'), FORKED);
  shared.setMaxListeners(0);
  await once(shared, 'message');
  return shared;
}

/** Resolves when the process has done it. */
function ordered(child: ChildProcess, order: Order): Promise<void> {
  return new Promise((resolve) => {
    const done = (message: unknown): void => {
      if (!isOrder(message) || message.place !== order.place) return;
      child.off('message', done);
      resolve();
    };
    child.on('message', done);
    processChannel(child).post(order);
  });
}

let places = 0;
/** In a child process. */
async function heldByChild(folder: string, clock: Clock): Promise<Holder & { child: ChildProcess; place: number }> {
  const child = await sharedHolder();
  const place = places;
  places += 1;
  await ordered(child, { place, open: folder });
  let lines = 0;
  return {
    child,
    place,
    connect: () => {
      const channel = lineOf(processChannel(child), place * LINES + lines, () => clock.now());
      lines += 1;
      return new ChannelStore(channel);
    },
    end: async () => {
      if (!isEnded(child)) await ordered(child, { place });
    },
  };
}

interface Fixture<H extends Holder> extends StoreFixture {
  readonly path: string;
  holder: H;
}

async function openFixture<H extends Holder>(
  hold: (folder: string, clock: Clock) => Promise<H>,
  clock: Clock,
): Promise<Fixture<H>> {
  const { folder, remove } = temporaryFolder();
  const path = join(folder, 'runs-db');
  const holder = await hold(path, clock);
  const fixture: Fixture<H> = {
    path,
    holder,
    store: holder.connect(),
    reopen: async () => {
      await fixture.holder.end();
      fixture.holder = await hold(path, clock);
      return fixture.holder.connect();
    },
    dispose: async () => {
      await fixture.holder.end();
      remove();
    },
  };
  return fixture;
}

function check(cases: ReturnType<typeof storeConformance>, ...without: RegExp[]): void {
  for (const { name, run } of cases) if (!without.some((names) => names.test(name))) it(name, { timeout: 120_000 }, run);
}

describe('over a port', () =>
  check(
    storeConformance({
      open: (clock) => openFixture(heldHere, clock),
      another: async ({ holder }) => holder.connect(),
      crash_rounds: CRASH_ROUNDS,
      // It is the worker that is killed.
      start: ({ holder }, work) => {
        const child = fork(fileOf('./worker.ts'), [work], FORKED);
        holder.serve(processChannel(child));
        return child;
      },
    }),
    COPIES,
  ));

describe('over the IPC of a process', () =>
  check(
    storeConformance({
      open: (clock) => openFixture(heldByChild, clock),
      another: async ({ holder }) => holder.connect(),
      crash_rounds: CRASH_ROUNDS,
      // It is the process that holds the folder that is killed, and its worker with it.
      start: ({ holder: { child, place } }, work) => {
        processChannel(child).post({ place, work } satisfies Order);
        return child;
      },
    }),
    COPIES,
    QUESTIONS,
  ));
