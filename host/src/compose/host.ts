import { GuardPool } from '@svc/kernel/workers';
import type { Logger } from 'pino';
import { CorrectedClock } from '../process/corrected-clock.ts';
import { type Container, newContainer, provide } from './container.ts';
import { outgoingFetch, pluginDeps } from './plugin-deps.ts';
import { CLOCK, GUARD_POOL, LOGGER, PLUGIN_DEPS } from './tokens.ts';

/** A container with everything that commands need to create plugins. @param fetchOf makes the `fetch` of plugins */
export function newHost(logger: Logger, fetchOf = outgoingFetch): Container {
  const container = newContainer();
  provide(container, LOGGER, () => logger);
  provide(container, CLOCK, () => new CorrectedClock(logger));
  provide(container, GUARD_POOL, () => new GuardPool());
  provide(container, PLUGIN_DEPS, (made) => pluginDeps(made, fetchOf));
  return container;
}
