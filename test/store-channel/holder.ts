import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fakeClock } from '@svc/sdk/testing';
import { serveStore } from '../../host/src/store-channel/serve-store.ts';
import { openStore } from '../../plugins/store-lmdb/src/test-store.ts';
import { isOrder, lineOf, type Numbered, processChannel } from './channels.ts';

/** More than any test opens. */
const LINES = 8;

/**
 * A process that holds the folder named by its argument. It serves its parent, with the times of its messages as its clock, and a worker that it
 * starts on request.
 */
const [, , folder = ''] = process.argv;
const clock = fakeClock(0);
const store = await openStore(folder, clock);
const serve = serveStore(store);
const parent = processChannel(process);
parent.onMessage((message) => {
  if (!isOrder(message)) clock.set((message as Numbered).now);
  else
    serve(
      processChannel(fork(fileURLToPath(new URL('./worker.ts', import.meta.url)), [message.work], { serialization: 'advanced' })),
    );
});
for (let line = 0; line < LINES; line += 1) serve(lineOf(parent, line));
parent.onClose(async () => {
  await store.close();
  process.exit();
});
parent.post('open');
