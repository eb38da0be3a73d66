import type { KeyObject } from 'node:crypto';
import type { Store } from '@svc/contracts';
import type { PipelineNode, RuntimeRoute } from '@svc/kernel/routes';
import type { ExportTarget } from '../records/export/queue.ts';
import type { RouteInventory } from '../records/ledger/inventory.ts';
import type { OwnKey } from '../records/ledger/signing-keys.ts';
import type { ApplyOperation } from '../records/operations-log/operations-log.ts';
import type { CheckpointPin } from '../records/tree/checkpoint-pin.ts';
import type { UsedPlugin } from './gateway-started.ts';
import type { EnvParts } from './runs/gateway-env.ts';

/** The routes of one configuration. */
export interface RouteSet {
  readonly config_digest: string;
  readonly routes: readonly { readonly runtime: RuntimeRoute; readonly inventory: RouteInventory }[];
  /** Additional nodes whose guards must be started too. */
  readonly nodes: readonly PipelineNode[];
}

/** The parts that a gateway is made of. */
export interface GatewayOptions extends Omit<EnvParts, 'writer' | 'policy' | 'delegations' | 'active' | 'instance'> {
  /** Not opened yet; the gateway opens and closes it. */
  readonly store: Store;
  /** The routes at the start. Use {@link Gateway.prepare} for later ones. */
  readonly routes: RouteSet['routes'];
  /** False for further processes of a server: the inventory and the start are recorded once per start of a server. */
  readonly seals_inventory: boolean;
  readonly ledger: LedgerOptions;
  /** Whether to start although the newest record is newer than this machine's clock. Set it only if the clock is right. */
  readonly accepts_clock?: boolean;
  readonly exporters: readonly ExportTarget[];
  /** They receive every record of the operations log, earlier ones at the start. */
  readonly apply?: readonly ApplyOperation[];
  /** The plugins that the record of the start names; default: none. */
  readonly plugins?: readonly UsedPlugin[];
  /** Null: no retrieval. */
  readonly retrieval: RetrievalPart | null;
}

/** Retrieval outside runs. Its guards start with the others, and nothing is served before it is open. */
export interface RetrievalPart {
  readonly nodes: readonly PipelineNode[];
  open(): Promise<void>;
  /** Wraps the keys of namespaces with the newest content key. `left`: the number of keys that another process changed meanwhile. */
  rewrap(): Promise<{ readonly namespaces: number; readonly left: number }>;
}

export interface LedgerOptions {
  /** Null: the id that the ledger got when it was created. */
  readonly origin: string | null;
  /** Ed25519 private keys that sign checkpoints, the newest first, at least one. Or one key that is created at the first start. */
  readonly signing_keys: readonly KeyObject[] | OwnKey;
  /** Remembers the newest checkpoint outside the store; the one of the operations log is in a file beside it. Null: neither is remembered. */
  readonly checkpoint_pin: CheckpointPin | null;
}
