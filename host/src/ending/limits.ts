/**
 * Time limits of a shutdown, counted from the end of the drain delay and the drain timeout (for runs in progress). Each limit is the last resort for
 * the previous one. All of them are below 15 s.
 */

/** For all parts of a process together. */
export const CLOSING_MS = 10_500;
/** For the last lines of the log. */
export const LAST_LINES_MS = 1_000;
/** After this time, the watchdog ends a main thread that no longer responds. */
export const WATCHDOG_MS = 12_500;
/** For the primary to close the store of its workers, which have ended by then. */
export const STORE_CLOSING_MS = 5_000;
/** After this time, the watchdog ends a primary whose store blocks it. */
export const STORE_WATCHDOG_MS = 7_000;
/** After this time, the primary kills a worker process. */
export const WORKER_KILL_MS = 13_000;
