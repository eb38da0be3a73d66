import type { Store } from '@svc/contracts';
import type { PipelineNode, RuntimeRoute } from '@svc/kernel/routes';
import type { ExportTarget } from '../records/export/queue.ts';
import type { RouteInventory } from '../records/ledger/inventory.ts';
import type { SigningKeys } from '../records/ledger/signing-keys.ts';
import type { ApplyOperation } from '../records/operations-log/operations-log.ts';
import type { CheckpointPin } from '../records/tree/checkpoint-pin.ts';
import type { TimestampOptions } from '../records/tree/timestamping.ts';
import type { WitnessOptions } from '../records/tree/witnessing.ts';
import type { UsedPlugin } from './gateway-started.ts';
import type { EnvParts } from './runs/gateway-env.ts';

export interface RouteSet {
  readonly config_digest: string;
  readonly routes: readonly { readonly runtime: RuntimeRoute; readonly inventory: RouteInventory }[];
  /** Additional nodes whose guards must be started as well. */
  readonly nodes: readonly PipelineNode[];
}

/** The parts that a gateway is made of. */
export interface GatewayOptions
  extends Omit<EnvParts, 'writer' | 'policy' | 'delegations' | 'active' | 'instance' | 'assertStamped'> {
  /** Not opened yet; the gateway opens and closes it. */
  readonly store: Store;
  /** The routes at start. Use {@link Gateway.prepare} for later ones. */
  readonly routes: RouteSet['routes'];
  /** False for the further processes of a server: the inventory and the start are recorded once per start of the server. */
  readonly seals_inventory: boolean;
  readonly ledger: LedgerOptions;
  /** Whether to start although the newest record is later than this machine's clock. Set it only if the clock is right. */
  readonly accepts_clock?: boolean;
  readonly exporters: readonly ExportTarget[];
  /** These functions receive every record of the operations log. Earlier records follow at start. */
  readonly apply?: readonly ApplyOperation[];
  /** The plugins to name in the record of the start. Default: none. */
  readonly plugins?: readonly UsedPlugin[];
  /** Null: no retrieval. */
  readonly retrieval: RetrievalPart | null;
}

/** Retrieval outside runs. Its guards start with the others, and the gateway serves nothing before retrieval is open. */
export interface RetrievalPart {
  readonly nodes: readonly PipelineNode[];
  open(): Promise<void>;
  /** Wraps the keys of namespaces with the newest content key. `left`: the number of keys that other processes changed meanwhile. */
  rewrap(): Promise<{ readonly namespaces: number; readonly left: number }>;
}

export interface LedgerOptions {
  /** Null: the id that the ledger got when it was created. */
  readonly origin: string | null;
  /** At least one key that signs checkpoints, newest first. Or one key that is created at the first start. */
  readonly signing_keys: SigningKeys;
  /** Called for each checkpoint that a key did not sign. Null: nobody counts them. */
  readonly not_signed: (() => void) | null;
  /** Remembers the newest checkpoint outside the store; that of the operations log is in a file beside it. Null: neither is remembered. */
  readonly checkpoint_pin: CheckpointPin | null;
  /** Who is asked to cosign checkpoints of the ledger. Null: nobody. */
  readonly witnessing: WitnessOptions | null;
  /** Who gives time stamps for checkpoints of the ledger. Null: nobody. */
  readonly timestamping: TimestampOptions | null;
}
