import type { TargetName } from './options.ts';
import type { Peers } from './peers.ts';
import type { Processes } from './processes.ts';
import type { Protocol } from './protocols.ts';

export interface Instance {
  readonly port: number;
  readonly pid: number;
}

/** Something that stands between the load and the upstream. */
export interface Target {
  readonly name: TargetName;
  /** Whose streams it passes on. */
  readonly protocols: readonly Protocol[];
  /** More than one: replicas that share the load. */
  readonly instances: readonly [Instance, ...Instance[]];
  /** Head fields that it needs. */
  readonly headers: (protocol: Protocol, caller: number) => Readonly<Record<string, string>>;
  /** The name by which the upstream's model is asked for here. */
  readonly model: (upstreamModel: string, protocol: Protocol) => string;
  /** Null: it keeps none. */
  readonly records: Records | null;
}

/** What is left of calls when a target was killed. */
export interface Records {
  /** Starts it again over what it has written, and gives its process. */
  readonly restart: () => Promise<number>;
  /** Whether a call has a record, by its number and body. */
  readonly read: () => Promise<(call: number, body: string) => boolean>;
}

/** Upstream models that the bench asks for; the gateway has routes for each, with and without guards. */
export type UpstreamModel = 'whole' | `stream-${number}-${number}`;

export interface Scene {
  readonly processes: Processes;
  readonly folder: string;
  readonly upstream: number;
  readonly models: readonly UpstreamModel[];
  readonly peers: Peers['programs'];
  /** Of Node, for gateways. */
  readonly flags?: readonly string[];
  /** Callers with a key of their own, where a target has such keys. */
  readonly callers?: number;
}
