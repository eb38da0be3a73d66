import { withTimeout } from '@svc/contracts';
import { Closing } from '@svc/runtime';
import type { Logger } from 'pino';
import { closeInstances, type ResolvedConfig } from '../config/index.ts';

/** What still uses a replaced configuration after this time loses its guards and providers. */
const MAX_USE_MS = 900_000;

/** Configurations that were replaced, and whose instances are open as long as runs use them. */
export class RetiredConfigurations {
  readonly #logger: Logger;
  /** With the configuration that came after each: the instances that it kept are its own. */
  readonly #open = new Map<ResolvedConfig, ResolvedConfig>();
  readonly #ended = new AbortController();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** @param unused resolves when nothing uses it any more */
  retire(config: ResolvedConfig, successor: ResolvedConfig, unused: Promise<unknown>): void {
    this.#open.set(config, successor);
    const close = async (): Promise<void> => {
      const { done } = await withTimeout(unused, MAX_USE_MS, this.#ended.signal);
      if (!this.#open.delete(config)) return;
      await closeInstances(config, new Closing(), successor);
      const line = { event: 'configuration_closed', config_digest: config.digest, in_use: !done };
      if (done) this.#logger.info(line);
      else this.#logger.warn(line);
    };
    void close();
  }

  /** Closes all that are left, at the end of the server. */
  async close(closing: Closing): Promise<void> {
    const left = [...this.#open];
    this.#open.clear();
    this.#ended.abort();
    await Promise.all(left.map(([config, successor]) => closeInstances(config, closing, successor)));
  }
}
