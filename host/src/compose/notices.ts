import type { Gateway } from '@svc/runtime';
import type { Notices } from '../notices/notices.ts';
import { receiverKeys } from '../notices/receiver-keys.ts';
import { reportStranded } from '../notices/stranded.ts';
import type { Container } from './container.ts';
import { CLOCK, CONFIG, LOGGER, NOTICES, OPTIONS, STORE } from './tokens.ts';

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

/** The gateway has opened the store. */
export async function startNotices(container: Container, gateway: Gateway): Promise<Notices | null> {
  const targets = container.resolve(CONFIG).notices?.targets ?? [];
  const [logger, clock] = [container.resolve(LOGGER), container.resolve(CLOCK)];
  await reportStranded(targets.flatMap(receiverKeys), { store: await container.resolve(STORE), logger, clock });
  const notices = await container.resolve(NOTICES);
  notices?.start(gateway);
  return notices;
}
