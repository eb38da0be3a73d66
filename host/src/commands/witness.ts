import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isStoreError } from '@svc/contracts';
import { MalformedNote, type Verifier, witnessKey } from '@svc/ledger';
import { CliError } from '../errors/cli-error.ts';
import { ledgerKey } from '../keys/ledger-key.ts';
import { flushLogs, makeLogger } from '../telemetry/log/logger.ts';
import { Cosigner } from '../witness/cosigner.ts';
import { witnessServer } from '../witness/witness-server.ts';
import { WitnessState } from '../witness/witness-state.ts';
import { readArguments, readPort } from './arguments.ts';
import { readKeys } from './ledger-keys.ts';

const FLUSH_MS = 1_000;

/**
 * `svc witness DIR --name NAME --log VKEY.. [--host H] [--port N]`: cosigns the checkpoints of other installations. DIR holds its key, which is created
 * at the first start, and the last cosigned checkpoint of each log. Only one process can use DIR.
 */
export async function witness(args: string[]): Promise<void> {
  const { values, positionals } = readArguments(
    args,
    {
      name: { type: 'string' },
      log: { type: 'string', multiple: true, default: [] },
      host: { type: 'string', default: '127.0.0.1' },
      port: { type: 'string', default: '7380' },
    },
    ['DIR'],
  );
  const { name, log, host } = values;
  const port = readPort(values.port);
  if (name === undefined)
    throw new CliError('--name is missing: add the name of this witness, such as --name witness.example.org', 2);
  if (log.length === 0)
    throw new CliError('--log is missing: add --log VKEY with a line that svc ledger keys prints for the other installation', 2);
  const logs: readonly Verifier[] = readKeys(log);
  const folder = positionals[0] ?? '';
  const state = await WitnessState.open(folder).catch((error: unknown) => {
    throw isStoreError(error) ? new CliError(error.message) : error;
  });
  const signer = { name, key: await ledgerKey(join(folder, 'witness.key')) };
  const logger = makeLogger();
  const vkey = keyOf(signer);
  const origins = [...new Set(logs.map((known) => known.name))];
  const server = witnessServer({ cosigner: new Cosigner(signer, logs, state), state, origins, logger });
  server.listen(port, host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new CliError(`cannot listen on ${host}:${port} (${error.code ?? 'unknown'})`);
  });
  const { address, port: bound } = server.address() as AddressInfo;
  const shown = address.includes(':') ? `[${address}]` : address;
  logger.info({ event: 'witness_listening', url: `http://${shown}:${bound}`, vkey, logs: origins });
  const stop = (): void => {
    server.close();
    server.closeIdleConnections();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  await once(server, 'close');
  state.close();
  await flushLogs(FLUSH_MS);
}

function keyOf(signer: Parameters<typeof witnessKey>[0]): string {
  try {
    return witnessKey(signer);
  } catch (error) {
    if (error instanceof MalformedNote) throw new CliError(`--name ${signer.name}: ${error.message}`, 2);
    throw error;
  }
}
