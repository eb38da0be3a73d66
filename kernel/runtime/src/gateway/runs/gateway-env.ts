import type { Protocol } from '@svc/contracts';
import type { RunsEnv } from '@svc/kernel';
import { Circuits } from '@svc/kernel/endpoints';
import { protocolsWith } from '@svc/protocols';
import type { TransportEnv } from '../../answers/transport-env.ts';
import { callWhole } from '../../answers/whole-call.ts';
import type { ContentKeys } from '../../content/key-tree.ts';
import { OpaqueHandles } from '../../content/opaque-handles.ts';
import { runVault } from '../../content/run-vault.ts';
import { ContentVault } from '../../content/vault.ts';
import type { ApproverRights } from '../../pauses/approver.ts';
import type { Delegations } from '../../pauses/delegations.ts';
import { EarlierDecisions } from '../../pauses/earlier-decisions.ts';
import { type MaxPaused, PauseLimits } from '../../pauses/pause-limits.ts';
import { pausePolicy } from '../../pauses/pause-policy.ts';
import type { OperationalStates } from '../../records/states/operational-states.ts';
import { texts } from '../../texts/texts.ts';

/** The dependencies of a gateway's own code: the kernel's ports, and the parts from which they are built. */
export interface GatewayEnv extends RunsEnv, TransportEnv {
  /** The only way to read or write content in the store. */
  readonly content: ContentVault;
  readonly policy: OperationalStates;
  readonly delegations: Delegations;
  readonly approvers: ApproverRights;
  readonly limits: PauseLimits;
  readonly decided: EarlierDecisions;
  readonly config_digest: string;
  /** @throws {SvcError} SVC-STORE-001 while the ledger lacks a required time stamp */
  readonly assertStamped: () => void;
  /** Whether the content of all runs is kept. */
  readonly record_content: boolean;
  /** Whether the start of a run must be on disk before a model is called. For a stream, it always must. */
  readonly record_start: boolean;
  /** How long the result of a run is kept, so that it can be fetched. */
  readonly result_ttl_ms: number;
  /** How long a paused run waits for a decision. */
  readonly expire_after_ms: number;
  /** Counted from the creation of the run. Null: unlimited. */
  readonly retention_ms: number | null;
}

type RunPorts = Pick<GatewayEnv, 'texts' | 'vault' | 'pauses' | 'whole'>;

/** The routes of the active configuration. */
export type CurrentRoutes = Pick<GatewayEnv, 'routes' | 'config_digest'>;

/** The parts of a gateway: its settings, and what it shares with other code. */
export interface EnvParts
  extends Omit<GatewayEnv, keyof RunPorts | 'circuits' | 'content' | 'handles' | 'protocols' | 'limits' | 'decided' | 'routes'> {
  /** The configuration of new runs. Its digest replaces the initial one. */
  readonly active: () => CurrentRoutes;
  readonly content_keys: ContentKeys;
  /** Protocols in addition to those of `@svc/protocols`. Default: none. */
  readonly protocols?: readonly Protocol[];
  readonly max_paused: MaxPaused;
  /** How long a decision on a paused run also applies to requests that repeat the run's request, in milliseconds. 0: not at all. */
  readonly reuse_for_ms: number;
}

/** Connects the kernel's ports to their implementations. Only this function names the implementations. */
export function gatewayEnv<P extends EnvParts>(parts: P): P & GatewayEnv {
  const { store, clock, content_keys, observer } = parts;
  const content = new ContentVault(store, content_keys);
  const protocols = protocolsWith(parts.protocols ?? []);
  const limits = new PauseLimits(store, parts.max_paused);
  const decided = new EarlierDecisions(parts);
  const env: P & GatewayEnv = {
    ...parts,
    get routes() {
      return parts.active().routes;
    },
    get config_digest() {
      return parts.active().config_digest;
    },
    texts,
    content,
    protocols,
    limits,
    decided,
    circuits: new Circuits(clock, observer),
    handles: new OpaqueHandles(content_keys),
    vault: runVault({ ...parts, content, protocols }),
    pauses: pausePolicy({ ...parts, limits, decided }),
    whole: { attempt: (run, endpoint) => callWhole(run, endpoint, env), judges: false, tail: null, pauses: true },
  };
  return env;
}
