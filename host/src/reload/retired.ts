import { withTimeout } from '@svc/contracts';
import { Closing } from '@svc/runtime';
import type { Logger } from 'pino';
import { closeInstances, type ResolvedConfig } from '../config/index.ts';

/** After this time, runs that still use a replaced configuration lose its guards and providers. */
const MAX_USE_MS = 900_000;

/** Replaced configurations. Their instances stay open as long as runs use them. */
export class RetiredConfigurations {
  readonly #logger: Logger;
  /** Each configuration with its successor, which owns the instances that it kept. */
  readonly #open = new Map<ResolvedConfig, ResolvedConfig>();
  readonly #ended = new AbortController();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Closes its backends of secrets at once: no run uses them, and the successor has its own.
   * @param unused resolves when no run uses the configuration
   */
  retire(config: ResolvedConfig, successor: ResolvedConfig, unused: Promise<unknown>): void {
    const { backends } = config;
    void closeInstances({ providers: new Map(), packs: new Map(), rag: null, backends }, this.#logger);
    this.#open.set(config, successor);
    const close = async (): Promise<void> => {
      const { done } = await withTimeout(unused, MAX_USE_MS, this.#ended.signal);
      if (!this.#open.delete(config)) return;
      await closeRest(config, this.#logger, new Closing(), successor);
      const line = { event: 'configuration_closed', config_digest: config.digest, in_use: !done };
      if (done) this.#logger.info(line);
      else this.#logger.warn(line);
    };
    void close();
  }

  /** Closes the remaining configurations when the server stops. */
  async close(closing: Closing): Promise<void> {
    const left = [...this.#open];
    this.#open.clear();
    this.#ended.abort();
    await Promise.all(left.map(([config, successor]) => closeRest(config, this.#logger, closing, successor)));
  }
}

function closeRest(config: ResolvedConfig, logger: Logger, closing: Closing, successor: ResolvedConfig): Promise<void> {
  return closeInstances({ ...config, backends: [] }, logger, closing, successor);
}
