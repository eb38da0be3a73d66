import type { TargetName } from './options.ts';
import type { Peers } from './peers.ts';
import type { Processes } from './processes.ts';
import type { Protocol } from './protocols.ts';

export interface Instance {
  readonly port: number;
  readonly pid: number;
}

/** Something between the load and the upstream. */
export interface Target {
  readonly name: TargetName;
  /** The protocols that it streams. */
  readonly protocols: readonly Protocol[];
  /** Several if replicas share the load. */
  readonly instances: readonly [Instance, ...Instance[]];
  /** Request headers that it needs. */
  readonly headers: (protocol: Protocol, caller: number) => Readonly<Record<string, string>>;
  /** Its name for a model of the upstream. */
  readonly model: (upstreamModel: string, protocol: Protocol) => string;
  /** Null if it keeps none. */
  readonly records: Records | null;
}

/** Reads the records of a target that was killed. */
export interface Records {
  /** Restarts the target with its data, and resolves to its pid. */
  readonly restart: () => Promise<number>;
  /** Whether a call has a record, by number and body. */
  readonly read: () => Promise<(call: number, body: string) => boolean>;
}

/** The bench's upstream models. The gateway has routes to each, with and without guards. */
export type UpstreamModel = 'whole' | `stream-${number}-${number}`;

export interface Scene {
  readonly processes: Processes;
  readonly folder: string;
  readonly upstream: number;
  readonly models: readonly UpstreamModel[];
  readonly peers: Peers['programs'];
  /** Node's flags for gateways. */
  readonly flags?: readonly string[];
  /** Number of callers with their own key, for targets that have such keys. */
  readonly callers?: number;
}
