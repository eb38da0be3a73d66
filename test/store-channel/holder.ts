import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Store } from '@svc/contracts';
import { fakeClock } from '@svc/sdk/testing';
import { serveStore } from '../../host/src/store-channel/serve-store.ts';
import { openStore } from '../../plugins/store-lmdb/src/test-store.ts';
import { isOrder, LINES, lineOf, type Numbered, type Order, processChannel } from './channels.ts';

interface Held {
  readonly store: Store;
  readonly serve: ReturnType<typeof serveStore>;
  readonly clock: ReturnType<typeof fakeClock>;
}

/**
 * A process that holds folders. On order, it opens one and serves it on lines of its parent, with the times of their messages as its clock, starts a
 * worker on it, or closes it.
 */
const held = new Map<number, Held>();
const parent = processChannel(process);
process.setMaxListeners(0);

async function open(place: number, folder: string): Promise<void> {
  const clock = fakeClock(0);
  const store = await openStore(folder, clock);
  const serve = serveStore(store);
  held.set(place, { store, serve, clock });
  for (let line = 0; line < LINES; line += 1) serve(lineOf(parent, place * LINES + line));
}

async function obey({ place, open: folder, work }: Order): Promise<void> {
  if (folder !== undefined) await open(place, folder);
  else if (work !== undefined) {
    const worker = fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), [work], { serialization: 'advanced' });
    held.get(place)?.serve(processChannel(worker));
  } else {
    await held.get(place)?.store.close();
    held.delete(place);
  }
  parent.post({ place });
}

parent.onMessage((message) => {
  if (isOrder(message)) void obey(message);
  else {
    const { line, now } = message as Numbered;
    held.get(Math.floor(line / LINES))?.clock.set(now);
  }
});
parent.onClose(async () => {
  for (const { store } of held.values()) await store.close();
  process.exit();
});
parent.post('ready');
