/**
 * Time limits of a shutdown after the drain delay: 5 s for runs under way, 15 s for the rest. Each limit is the last resort for the one
 * before it; all are below 20 s.
 */

/** All parts of a process together. */
export const CLOSING_MS = 15_500;
/** The last lines of the log. */
export const LAST_LINES_MS = 1_000;
/** The watchdog ends a main thread that does not respond any more. */
export const WATCHDOG_MS = 17_500;
/** The primary closes the store of its workers, which have ended. */
export const STORE_CLOSING_MS = 5_000;
/** The primary ends a worker process. */
export const WORKER_KILL_MS = 18_000;
