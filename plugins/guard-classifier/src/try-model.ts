import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** CommonJS, as Node runs a text as a worker. */
const LOAD = "import(require('node:worker_threads').workerData)";

/**
 * Loads the model once, as the threads of the guards will, in a thread of its own: it may take seconds.
 * @throws {Error} the reason with the name of the file, if the model cannot be used, or the exit code if its runtime ends the thread
 */
export async function tryModel(moduleUrl: string): Promise<void> {
  const worker = new Worker(LOAD, { eval: true, workerData: moduleUrl });
  const [code] = await once(worker, 'exit');
  if (code !== 0) throw new Error(`the thread that loads the model ended with exit code ${code}`);
}
