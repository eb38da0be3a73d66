import { readArguments } from '../../host/src/commands/arguments.ts';
import { SERVE_OPTIONS, serveUntilStopped } from '../../host/src/commands/serve.ts';
import { CliError } from '../../host/src/errors/cli-error.ts';
import { loggerTo } from '../../host/src/telemetry/log/logger.ts';
import type { RunningGateway } from './gateway.ts';
import { listeningUrl } from './listening.ts';

/** `svc serve` in the test process: host and kernel from source, plugins from the build. Without signals, watchdog or process exit. */
export class GatewayHere implements RunningGateway {
  readonly url: string;
  readonly #stop: (why: string) => void;
  /** Names of the parts that were still running at the end. */
  readonly #ended: Promise<readonly string[]>;

  private constructor(url: string, stop: (why: string) => void, ended: Promise<readonly string[]>) {
    this.url = url;
    this.#stop = stop;
    this.#ended = ended;
  }

  /** @param write receives the output to stdout and stderr */
  static async start(args: readonly string[], env: Record<string, string>, write: (text: string) => void): Promise<GatewayHere> {
    const { values } = readArguments([...args], SERVE_OPTIONS);
    const stop = Promise.withResolvers<string>();
    const listening = Promise.withResolvers<string>();
    const logger = loggerTo({
      write: (line) => {
        write(line);
        const url = listeningUrl(line);
        if (url !== undefined) listening.resolve(url);
      },
    });
    let output = '';
    const complain = (line: string): void => {
      output += line;
      write(line);
    };
    const lifetime = () => ({ stop: stop.promise, onReload: () => undefined, watchdog: { arm: () => undefined } });
    // Secrets are read from the environment at startup.
    const before = { ...process.env };
    Object.assign(process.env, env);
    const ended = serveUntilStopped(values, { logger, complain, lifetime, greeting: () => [] }).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      complain(`svc: ${error.message}\n`);
      throw new Error(`the gateway ended with ${error.exit_code}:\n${output}`);
    });
    try {
      const url = await Promise.race([listening.promise, ended.then(() => Promise.reject(new Error('it ended')))]);
      return new GatewayHere(url, stop.resolve, ended);
    } finally {
      for (const name of Object.keys(env)) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
  }

  async stop(signal: NodeJS.Signals): Promise<number> {
    if (signal !== 'SIGTERM') throw new Error(`a gateway in the test process cannot be ended by ${signal}`);
    this.#stop(signal);
    return (await this.#ended).length > 0 ? 1 : 0;
  }

  async dispose(): Promise<void> {
    this.#stop('SIGTERM');
    await this.#ended;
  }
}
