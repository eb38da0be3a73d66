import type { Notices } from '../notices/notices.ts';
import type { Container } from './container.ts';
import { CLOCK, CONFIG, LOGGER, OPTIONS, STORE } from './tokens.ts';

/** Loaded on demand: its libraries cost memory. */
export async function makeNotices(container: Container): Promise<Notices | null> {
  const { notices, directory } = container.resolve(CONFIG);
  if (notices === null) return null;
  const { Notices } = await import('../notices/notices.ts');
  const { metrics } = container.resolve(OPTIONS);
  return new Notices(notices, {
    directory,
    store: await container.resolve(STORE),
    logger: container.resolve(LOGGER),
    clock: container.resolve(CLOCK),
    count: (target, outcome) => metrics.notice(target, outcome),
  });
}
