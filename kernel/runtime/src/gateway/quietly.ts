import { errorName, type Logger } from '@svc/contracts';

/** Does work whose failure is only logged, as `<event>_failed`. */
export async function quietly(event: string, logger: Logger, work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    logger.warn({ event: `${event}_failed`, reason: errorName(error) });
  }
}
