/**
 * How long an end may take, from the signal on: 5 s for runs that are under way, and 15 s for all else. Each of these is the last resort
 * for the one before it, and the sum is below 20 s.
 */

/** All parts of a process together, in order. */
export const CLOSING_MS = 15_500;
/** The last lines of the log. */
export const LAST_LINES_MS = 1_000;
/** A main thread that does not answer any more is ended by its watchdog. */
export const WATCHDOG_MS = 17_500;
/** The same for a worker process, by its primary. */
export const WORKER_KILL_MS = 18_000;
