import { Counter, Gauge, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { silentLogger } from '../telemetry/log/logger.ts';
import { type MetricsPart, sumOf } from '../telemetry/metrics/parts.ts';
import { type CountingWorker, PartKeeper } from './part-keeper.ts';

/** Metrics in which a worker has counted this much: `svc_test_total`. */
async function partOf(count: number): Promise<MetricsPart> {
  const registry = new Registry();
  new Counter({ name: 'svc_test_total', help: 'h', registers: [registry] }).inc(count);
  new Gauge({ name: 'svc_test', help: 'h', registers: [registry] }).set(1);
  return registry.getMetricsAsJSON();
}

/** A worker that answers with this count when asked. Null: it does not answer. */
function workerOf(keeper: PartKeeper, count: number | null): CountingWorker & { serves: boolean } {
  const worker = {
    pid: 1,
    serves: true,
    send: async (message: Parameters<CountingWorker['send']>[0]): Promise<void> => {
      if (message.type === 'give_part' && count !== null) keeper.take(worker, message.id, await partOf(count));
    },
  };
  return worker;
}

async function totalOf(keeper: PartKeeper, asker: CountingWorker, all: readonly CountingWorker[]): Promise<number | undefined> {
  const { parts } = await keeper.gather(asker, all, all.length);
  const metrics = await sumOf(parts).getMetricsAsJSON();
  return metrics.find(({ name }) => name === 'svc_test_total')?.values[0]?.value;
}

it('keeps the counts of dead workers in the sum', async () => {
  const keeper = new PartKeeper(silentLogger);
  const [asker, other] = [workerOf(keeper, 1), workerOf(keeper, 10)];
  keeper.take(asker, null, await partOf(1));
  expect(await totalOf(keeper, asker, [asker, other])).toBe(11);
  keeper.retire(other);
  expect(await totalOf(keeper, asker, [asker])).toBe(11);
});

it('leaves out a part that cannot be added up, and keeps all other counts', async () => {
  const lines: object[] = [];
  const keeper = new PartKeeper({ warn: (line) => lines.push(line) });
  const [asker, good, bad, later] = [1, 10, null, 100].map((count) => workerOf(keeper, count));
  if (asker === undefined || good === undefined || bad === undefined || later === undefined) throw new Error('no workers');
  keeper.take(asker, null, await partOf(1));
  keeper.take(good, null, await partOf(10));
  keeper.retire(good);
  const broken: unknown = (await partOf(1000)).map(({ values: _, ...metric }) => metric);
  keeper.take(bad, null, broken as MetricsPart);
  keeper.retire(bad);
  expect(await totalOf(keeper, asker, [asker])).toBe(11);
  expect(lines).toEqual([{ event: 'worker_metrics_lost', worker: 1, reason: 'TypeError' }]);
  keeper.take(later, null, await partOf(100));
  keeper.retire(later);
  expect(await totalOf(keeper, asker, [asker])).toBe(111);
});
