import type { Load } from './load-process.ts';
import type { Options } from './options.ts';
import { type Memory, memoryOf } from './proc.ts';
import type { Target } from './target.ts';

/** Points at which memory is measured, as shares of all requests. */
const MARKS = [0, 0.1, 0.25, 0.5, 1];
const CONNECTIONS = 32;

export interface MemoryRow {
  readonly requests: number;
  /** As the system reports it; null without /proc. */
  readonly memory: Memory | null;
  /** As the gateway's /metrics reports it, in megabytes. */
  readonly metrics: { readonly rss: number; readonly heap: number; readonly heap_used: number; readonly external: number };
  readonly failures: number;
}

/** Measures a gateway's memory over many requests. Pass a gateway that has served none yet. */
export async function measureMemory(gateway: Target, load: Load, options: Options): Promise<MemoryRow[]> {
  const rows: MemoryRow[] = [];
  let done = 0;
  let failures = 0;
  for (const share of MARKS) {
    const more = Math.round(options.memory_requests * share) - done;
    if (more > 0) {
      const seen = await load.run(gateway, 'whole', { connections: CONNECTIONS, lead_in_ms: 0, until: { answers: more } });
      failures += seen.failures;
      done += more;
    }
    rows.push({ requests: done, memory: memoryOf(gateway.instances[0].pid), metrics: await scrape(gateway), failures });
  }
  return rows;
}

async function scrape({ instances: [{ port }] }: Target): Promise<MemoryRow['metrics']> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const megabytes = (name: string): number => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]) / 1_000_000;
  return {
    rss: megabytes('process_resident_memory_bytes'),
    heap: megabytes('nodejs_heap_size_total_bytes'),
    heap_used: megabytes('nodejs_heap_size_used_bytes'),
    external: megabytes('nodejs_external_memory_bytes'),
  };
}
