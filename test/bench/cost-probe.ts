/**
 * Loaded into a gateway by `--import` with `?PORT`, to count what it does: `GET /functions` gives the calls of each function since it was last asked,
 * `GET /heap` the bytes of JavaScript that are in use, and how often garbage was collected so far. Between `GET /profile-start` and `GET /profile-stop`,
 * which gives it, V8's sampling profiler runs.
 */
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

const SAMPLE_US = 250;

let collections = 0;
new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ['gc'] });

const session = new Session();
session.connect();
let counting = false;

async function functions(): Promise<unknown> {
  if (!counting) {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    counting = true;
  }
  return (await session.post('Profiler.takePreciseCoverage')).result;
}

async function startProfile(): Promise<unknown> {
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  return session.post('Profiler.start');
}

const FIGURES: Readonly<Record<string, () => unknown>> = {
  '/heap': () => ({ used: getHeapStatistics().used_heap_size, collections }),
  '/functions': functions,
  '/profile-start': startProfile,
  '/profile-stop': async () => (await session.post('Profiler.stop')).profile,
};

createServer(async (request, response) => {
  response.end(JSON.stringify(await FIGURES[request.url ?? '']?.()));
})
  .listen(Number(new URL(import.meta.url).search.slice(1)), '127.0.0.1')
  .unref();
