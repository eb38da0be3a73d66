import { writeSync } from 'node:fs';
import { inspectAll, inspectEdges, verifyRecords } from './inspect.ts';
import type { Said, Task } from './inspect-in-child.ts';

const [, , folder = '', task, ...without] = process.argv as [string, string, string, Task, ...string[]];

/** Returns only when the report is in the pipe, because the next read may crash this process. If nobody reads the pipe, there is nothing to do. */
const say = (said: Said): void => {
  try {
    writeSync(1, `${JSON.stringify(said)}\n`);
  } catch {
    process.exit();
  }
};

switch (task) {
  case 'edges':
    inspectEdges(folder, without, say);
    break;
  case 'all':
  case 'readable first':
    inspectAll(folder, without, say, task === 'readable first');
    break;
  case 'records forward':
  case 'records backward':
    verifyRecords(folder, say, task === 'records forward' ? 1 : -1);
}
process.exit();
