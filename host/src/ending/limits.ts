/**
 * Time limits of a shutdown, after the drain delay and the drain timeout (for runs in progress). Each limit is the
 * last resort for the one before it; all are below 15 s.
 */

/** All parts of a process together. */
export const CLOSING_MS = 10_500;
/** The last lines of the log. */
export const LAST_LINES_MS = 1_000;
/** The watchdog ends a main thread that no longer responds. */
export const WATCHDOG_MS = 12_500;
/** The primary closes the store of its workers, which have ended. */
export const STORE_CLOSING_MS = 5_000;
/** The primary ends a worker process. */
export const WORKER_KILL_MS = 13_000;
