import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** CommonJS, as Node runs a text as a worker. */
const LOAD = "import(require('node:worker_threads').workerData)";

/**
 * Loads the model once, as the threads of the guards will, in a thread of its own: it may take seconds.
 * @throws {Error} the reason with the name of the file, if the model cannot be used
 */
export async function tryModel(moduleUrl: string): Promise<void> {
  const worker = new Worker(LOAD, { eval: true, workerData: moduleUrl });
  await once(worker, 'exit');
}
