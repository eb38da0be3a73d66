import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Closing } from '@svc/runtime';
import { assemble } from '../compose/assemble.ts';
import { readConfiguration } from '../compose/configuration.ts';
import { newHost } from '../compose/host.ts';
import { runsDb } from '../config/runs-db.ts';
import { starterConfiguration } from '../config/starter-configuration.ts';
import { CliError } from '../errors/cli-error.ts';
import { newKey } from '../keys/new-key.ts';
import { silentLogger } from '../telemetry/log/logger.ts';
import { Metrics } from '../telemetry/metrics/metrics.ts';
import { readArguments } from './arguments.ts';

/** `svc openapi`: prints openapi.json. The server generates it from its endpoints, using a temporary configuration. */
export async function openapi(args: string[]): Promise<void> {
  readArguments(args, {});
  const folder = await mkdtemp(join(tmpdir(), 'svc-openapi-'));
  try {
    const file = join(folder, 'svc.yaml');
    const keys = { key_hash: newKey().key_hash, approver_key_hash: newKey().key_hash };
    await writeFile(file, starterConfiguration(keys, 'svc.schema.json'));
    const host = newHost(silentLogger);
    const { config } = await readConfiguration(file, true, host);
    if (config === null) throw new CliError('the starter configuration has errors');
    const { server, close } = await assemble(
      config,
      {
        runs_db: runsDb(join(folder, 'runs-db'), true),
        metrics: new Metrics(),
        seals_inventory: true,
        allowed_hosts: null,
        describes: true,
      },
      host,
    );
    await server.ready();
    process.stdout.write(`${JSON.stringify(server.swagger(), null, 2)}\n`);
    await close(new Closing());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
