import type { Times } from './statistics.ts';

/** What the load is told to do. */
export interface Job {
  /** Servers that share the connections. */
  readonly ports: readonly number[];
  /** Head and body of a request; connections take them in turns. */
  readonly requests: readonly string[];
  /** What only the last event of a stream has. */
  readonly last_event: string;
  readonly connections: number;
  /** Answers that come before are not counted, in number and in time. */
  readonly lead_in_ms: number;
  /** Counts for so long, or until so many answers are there. */
  readonly until: { readonly ms: number } | { readonly answers: number };
  /** Processes whose time is counted meanwhile, with that of their children. */
  readonly pids: readonly number[];
}

/** What it saw. */
export interface Seen {
  readonly answers: number;
  /** Of them: not status 200, or a stream without its end. */
  readonly failures: number;
  readonly seconds: number;
  readonly millis: Times;
  readonly first_byte_ms: Times;
  readonly frames: number;
  /** Processor time of the measured process, all threads, in that time. */
  readonly cpu_ms: number | null;
}

export type Outcome = { readonly ok: true; readonly seen: Seen } | { readonly ok: false; readonly reason: string };
