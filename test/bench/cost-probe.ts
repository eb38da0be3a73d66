/**
 * Loaded into a gateway by `--import` with `?PORT`, to count what it does: `GET /functions` gives the calls of each function since it was last asked,
 * `GET /heap` the bytes of JavaScript that are in use, and how often garbage was collected so far.
 */
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

let collections = 0;
new PerformanceObserver((list) => {
  collections += list.getEntries().length;
}).observe({ entryTypes: ['gc'] });

const session = new Session();
let counting = false;

async function functions(): Promise<unknown> {
  if (!counting) {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    counting = true;
  }
  return (await session.post('Profiler.takePreciseCoverage')).result;
}

createServer(async (request, response) => {
  const figures = request.url === '/heap' ? { used: getHeapStatistics().used_heap_size, collections } : await functions();
  response.end(JSON.stringify(figures));
})
  .listen(Number(new URL(import.meta.url).search.slice(1)), '127.0.0.1')
  .unref();
