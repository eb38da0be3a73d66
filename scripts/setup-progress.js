import { existsSync } from 'node:fs';
import { join } from 'node:path';

const LOOK_MS = 250;
const LINE_MS = 5_000;

/**
 * Shows on stderr how many packages are in place, until the work is done: one line that changes in a terminal, otherwise a line every 5 seconds.
 * @param folders of the packages that are being installed
 */
export async function withProgress(title, folders, work) {
  const started = performance.now();
  const { isTTY } = process.stderr;
  let lineAt = started;
  const show = () => {
    const done = folders.filter((folder) => existsSync(join(folder, 'package.json'))).length;
    const text = `svc: ${title}: ${done} of ${folders.length} packages, ${seconds(started)} s`;
    if (isTTY) process.stderr.write(`\r${text}\u001b[K`);
    else if (performance.now() - lineAt >= LINE_MS) {
      lineAt = performance.now();
      console.error(text);
    }
  };
  if (!isTTY) console.error(`svc: ${title}`);
  const timer = setInterval(show, LOOK_MS);
  try {
    await work();
  } finally {
    clearInterval(timer);
    if (isTTY) process.stderr.write('\r\u001b[K');
  }
  console.error(`svc: ${title}: done in ${seconds(started)} s`);
}

const seconds = (since) => Math.round((performance.now() - since) / 1000);
