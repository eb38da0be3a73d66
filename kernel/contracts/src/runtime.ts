/**
 * Structured log, one JSON line per call. Authors must not put message text, matched values, secrets or upstream messages in it:
 * codes, names, counts and durations only.
 */
export interface Logger {
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}

export interface Clock {
  /** Wall clock, milliseconds since the Unix epoch. May jump; for dates and expiry. */
  now(): number;
  /** Milliseconds from an arbitrary start, never backwards. For durations. */
  monotonic(): number;
}

/** What every plugin receives: plain values, no container. */
export interface PluginDeps {
  /** The name that the configuration gives this instance (for a guard: the node name). */
  readonly name: string;
  /** Folder of the configuration file: relative paths in options are relative to it. */
  readonly directory: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Uses the proxies set in the environment. */
  readonly fetch: typeof fetch;
}
