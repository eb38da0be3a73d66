import { errorName } from '@svc/contracts';
import type { Logger } from 'pino';

/** Logs unhandled rejections. They are bugs, but must not end the process. */
export function logUnhandledRejections(logger: Logger): void {
  process.on('unhandledRejection', (reason) => {
    logger.error({ event: 'unhandled_rejection', reason: errorName(reason) });
  });
}
