/**
 * `npm run bench`: compares the gateway with a bare pass-through and Portkey, on one machine with one upstream. Fails on a slowdown only if given an
 * earlier run.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lossesOf, timesBare, timesBareTable } from './against.ts';
import { measureCost, probeAt, probedBy } from './cost.ts';
import type { Governed } from './governed.ts';
import { measureGuards } from './guards.ts';
import { callsOf, measureKilled } from './killed.ts';
import { Load } from './load-process.ts';
import { describeMachine } from './machine.ts';
import { measureMemory } from './memory.ts';
import { HELP, isPeer, type Options, readOptions, type TargetName } from './options.ts';
import { findPeers } from './peers.ts';
import { PORTKEY } from './portkey.ts';
import { freePort, Processes } from './processes.ts';
import { measureProfile } from './profile.ts';
import { type Report, show } from './report.ts';
import { measureRequests } from './requests.ts';
import { measureSealing } from './sealing.ts';
import { measureOpen, measureStreams, streamModels } from './streams.ts';
import type { Target } from './target.ts';
import { startTargets } from './targets.ts';

async function bench(options: Options): Promise<Report> {
  const folder = mkdtempSync(join(options.folder ?? tmpdir(), 'svc-bench-'));
  const processes = new Processes(folder, options.pin);
  process.once('exit', () => {
    processes.end();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const machine = describeMachine(folder);
  const port = await freePort();
  const upstream = await processes.serve('upstream', 'upstream', port, [join(import.meta.dirname, 'upstream.ts'), String(port)]);
  const load = new Load(processes.start('load', 'load', [join(import.meta.dirname, 'load.ts')]));
  const { parts } = options;
  const peers = await findPeers([...(parts.requests || parts.streams ? options.targets : []), ...options.governed]);
  const isHere = (name: TargetName) => !(name in peers.missing);
  const names = options.targets.filter(isHere);
  const governed = options.governed.filter(isHere);
  // The start of a stream is always recorded.
  const streamed = names.filter((name) => name !== 'unrecorded');

  /** Measures new processes, which have done nothing for another part. */
  async function measured<Figures>(of: readonly TargetName[], figures: (targets: Target[]) => Promise<Figures>, callers = 1) {
    const models = ['whole', ...streamModels(options)] as const;
    const targets = await startTargets(of, { processes, folder, upstream: port, peers: peers.programs, models, callers });
    const result = await figures(targets);
    await processes.endMeasured();
    return result;
  }

  async function part<Row>(asked: boolean, of: readonly TargetName[], rows: (targets: Target[]) => Promise<Row[]>) {
    return asked ? measured(of, rows) : null;
  }

  async function measureGoverned(): Promise<Governed> {
    const atLoad = await measured(governed, async (targets) => ({
      requests: await measureRequests(targets, load, { ...options, connections: [32] }, folder),
      streams: await measureStreams(targets, load, options),
    }));
    const killed = (targets: Target[]) => measureKilled(targets, upstream, processes, options);
    return {
      ...atLoad,
      killed: await measured(
        governed.filter((name) => name !== 'bare'),
        killed,
        callsOf(options),
      ),
    };
  }

  /** Runs gateways with a probe. */
  async function probed<Row>(
    flags: (port: number) => readonly string[],
    rows: (targets: readonly Target[], probe: number) => Promise<Row[]>,
  ): Promise<Row[]> {
    const probe = await freePort();
    const counted = names.filter((name) => name === 'gateway' || name === 'guarded');
    const scene = { processes, folder, upstream: port, peers: {}, models: ['whole'] as const, flags: flags(probe) };
    const targets = await startTargets(counted, scene);
    const measured = await rows(targets, probe);
    await processes.endMeasured();
    return measured;
  }

  return {
    at: new Date().toISOString(),
    version: releaseVersion(),
    portkey:
      governed.includes('portkey-guarded') || (names.includes('portkey') && (parts.requests || parts.streams)) ? PORTKEY : null,
    missing: peers.missing,
    machine,
    options,
    pinned: processes.pinned,
    requests: await part(
      parts.requests,
      names.filter((name) => name !== 'masked'),
      (targets) => measureRequests(targets, load, options, folder),
    ),
    streams: await part(parts.streams, streamed, (targets) => measureStreams(targets, load, options)),
    open: await part(
      parts.streams,
      streamed.filter((name) => name !== 'guarded' && name !== 'guarded-2' && name !== 'masked' && !isPeer(name)),
      (targets) => measureOpen(targets, load, upstream, options),
    ),
    memory: await part(parts.memory, ['guarded'], ([gateway]) =>
      gateway === undefined ? Promise.resolve([]) : measureMemory(gateway, load, options),
    ),
    sealing: parts.sealing ? await measureSealing(folder, options) : null,
    guards: parts.guards ? await measureGuards(folder, port, processes, options) : null,
    cost: parts.cost ? await probed(probedBy, (targets, probe) => measureCost(targets, probe, load, options.seconds)) : null,
    governed: parts.governed ? await measureGoverned() : null,
    profile: parts.profile ? await probed(probeAt, (targets, probe) => measureProfile(targets, probe, load, options)) : null,
  };
}

function releaseVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')).version;
}

/** @returns the exit code */
function judged(report: Report, file: string, within: number): number {
  const rows = timesBare(report, JSON.parse(readFileSync(file, 'utf8')) as Report);
  process.stdout.write(`\n${timesBareTable(rows, within)}\n`);
  return rows.every(({ before }) => before === null) || lossesOf(rows, within).length > 0 ? 1 : 0;
}

function optionsOrExit(): Options | null {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}

const options = optionsOrExit();
if (options === null) process.stdout.write(HELP);
else {
  const report = await bench(options);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${show(report)}\nfigures: ${options.json}\n`);
  process.exit(options.against === null ? 0 : judged(report, options.against, options.within));
}
