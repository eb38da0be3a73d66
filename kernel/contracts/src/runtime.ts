/**
 * Structured log, one JSON line per call. Authors must write only codes, names, counts and durations: no message text, matched values, secrets or
 * upstream messages.
 */
export interface Logger {
  debug(fields: object, message?: string): void;
  info(fields: object, message?: string): void;
  warn(fields: object, message?: string): void;
  error(fields: object, message?: string): void;
}

export interface Clock {
  /** Wall clock, in milliseconds since the Unix epoch. It may jump. Use it for dates and expiry. */
  now(): number;
  /** Milliseconds from an arbitrary start. Never runs backwards. Use it for durations. */
  monotonic(): number;
}

/** What every plugin receives. Plain values, no container. */
export interface PluginDeps {
  /** The name that the configuration gives this instance. For a guard, this is the node name. */
  readonly name: string;
  /** Folder of the configuration file. Relative paths in options start from it. */
  readonly directory: string;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Uses the proxies set in the environment. */
  readonly fetch: typeof fetch;
}
