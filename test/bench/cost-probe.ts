/**
 * Loaded into a gateway with `--import` and `?PORT` to count its work. `GET /functions` returns the calls of each function since the last request
 * for them. `GET /heap` returns the bytes of JavaScript in use, and the number of garbage collections. V8's sampling profiler runs from `GET
 * /profile-start` to `GET /profile-stop`, which returns the profile.
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
