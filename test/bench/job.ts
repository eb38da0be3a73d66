import type { Times } from './statistics.ts';

/** A task for the load process. */
export interface Job {
  /** Servers that share the connections. */
  readonly ports: readonly number[];
  /** Head and body of each request. Connections use them in turn. */
  readonly requests: readonly string[];
  /** Text that identifies the last event of a stream. */
  readonly last_event: string;
  readonly connections: number;
  /** Earlier answers are not counted. */
  readonly lead_in_ms: number;
  /** How long to count: for a time, or up to a number of answers. */
  readonly until: { readonly ms: number } | { readonly answers: number };
  /** Processes whose processor time is measured, including their children. */
  readonly pids: readonly number[];
}

/** The result of a job. */
export interface Seen {
  readonly answers: number;
  /** Answers without status 200, and streams without an end. */
  readonly failures: number;
  readonly seconds: number;
  readonly millis: Times;
  readonly first_byte_ms: Times;
  readonly frames: number;
  /** Processor time of the measured processes, all threads. */
  readonly cpu_ms: number | null;
}

export type Outcome = { readonly ok: true; readonly seen: Seen } | { readonly ok: false; readonly reason: string };
