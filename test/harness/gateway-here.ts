import { join } from 'node:path';
import { Closing } from '@svc/kernel';
import { type AssembledServer, assemble } from '../../host/src/compose/assemble.ts';
import { readConfiguration } from '../../host/src/compose/configuration.ts';
import { newHost } from '../../host/src/compose/host.ts';
import { formatDiagnostic } from '../../host/src/config/index.ts';
import { runsDb } from '../../host/src/config/runs-db.ts';
import { loggerTo } from '../../host/src/telemetry/log/logger.ts';
import { Metrics } from '../../host/src/telemetry/metrics/metrics.ts';
import type { RunningGateway } from './gateway.ts';

/** A gateway in the process of the tests, assembled as `svc serve` does it: the sources of host and kernel, the built plugins. */
export class GatewayHere implements RunningGateway {
  readonly #assembled: AssembledServer;
  #closed: Promise<void> | undefined;
  readonly url: string;

  private constructor(assembled: AssembledServer, url: string) {
    this.#assembled = assembled;
    this.url = url;
  }

  /** @param write gets the lines of its log, and what is wrong with the configuration */
  static async start(folder: string, write: (text: string) => void): Promise<GatewayHere> {
    const container = newHost(loggerTo({ write }));
    const { config, diagnostics } = await readConfiguration(join(folder, 'svc.yaml'), true, container);
    const said = diagnostics.map((diagnostic) => `${formatDiagnostic(diagnostic)}\n`).join('');
    write(said);
    if (config === null) throw new Error(`the configuration has errors: ${said}`);
    const runs_db = runsDb(join(folder, 'runs-db'));
    const options = { runs_db, seals_inventory: true, allowed_hosts: null, metrics: new Metrics() };
    const assembled = await assemble(config, options, container);
    return new GatewayHere(assembled, await assembled.server.listen({ host: '127.0.0.1', port: 0 }));
  }

  async stop(signal: NodeJS.Signals): Promise<number> {
    if (signal !== 'SIGTERM') throw new Error(`a gateway in the process of the tests cannot be ended by ${signal}`);
    await this.dispose();
    return 0;
  }

  dispose(): Promise<void> {
    this.#closed ??= this.#assembled.close(new Closing());
    return this.#closed;
  }
}
