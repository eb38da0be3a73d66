import { errorName } from '@svc/contracts';
import type { Logger } from 'pino';

/** A promise that nobody waits for must not end the process; it is a fault of ours. */
export function logUnhandledRejections(logger: Logger): void {
  process.on('unhandledRejection', (reason) => {
    logger.error({ event: 'unhandled_rejection', reason: errorName(reason) });
  });
}
