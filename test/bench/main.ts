/** `npm run bench`: the gateway beside a bare pass-through and Portkey, on one machine with one upstream. No test: it passes no judgement. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Load } from './load-process.ts';
import { describeMachine } from './machine.ts';
import { HELP, type Options, readOptions } from './options.ts';
import { PORTKEY } from './portkey.ts';
import { freePort, Processes } from './processes.ts';
import { type Report, show } from './report.ts';
import { measureRequests } from './requests.ts';
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
  const upstream = await freePort();
  await processes.serve('upstream', 'upstream', upstream, [join(import.meta.dirname, 'upstream.ts'), String(upstream)]);
  const load = new Load(processes.start('load', 'load', [join(import.meta.dirname, 'load.ts')]));
  const targets = await startTargets(options.targets, { processes, folder, upstream, models: ['whole'] });
  return {
    at: new Date().toISOString(),
    version: releaseVersion(),
    portkey: options.targets.includes('portkey') ? PORTKEY : null,
    machine,
    options,
    pinned: processes.pinned,
    requests: options.parts.requests ? await measureRequests(targets, load, options) : null,
  };
}

function releaseVersion(): string {
  return JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')).version;
}

const options = readOptions(process.argv.slice(2));
if (options === null) process.stdout.write(HELP);
else {
  const report = await bench(options);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${show(report)}\nfigures: ${options.json}\n`);
  process.exit();
}
