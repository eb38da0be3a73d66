import type { KeyObject } from 'node:crypto';
import type { Clock, Logger, Store } from '@svc/contracts';
import type { BytesInFlight } from '../admission/bytes-in-flight.ts';
import type { MaxPaused } from '../admission/pause-limits.ts';
import type { TokenCounter } from '../calls/usage.ts';
import type { ContentKeys } from '../content/key-tree.ts';
import type { PipelineNode, RuntimeRoute } from '../core/route.ts';
import type { ExportTarget } from '../ledger/export/queue.ts';
import type { RouteInventory } from '../ledger/inventory.ts';
import type { OwnKey } from '../ledger/signing-keys.ts';
import type { CheckpointPin } from '../ledger/tree/checkpoint-pin.ts';
import type { Observer } from '../observing/observer.ts';
import type { GuardWorkers } from '../workers/guard-workers.ts';

export interface GatewayOptions {
  /** Not opened yet; the gateway opens and closes it. */
  readonly store: Store;
  readonly routes: readonly { readonly runtime: RuntimeRoute; readonly inventory: RouteInventory }[];
  readonly config_digest: string;
  readonly clock: Clock;
  /** Threads for the heavy work of guards; its maker's to close. */
  readonly workers: GuardWorkers;
  /** Counts tokens where a provider gives no figures. Null: one for every four characters. */
  readonly count_tokens: TokenCounter | null;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly bytes: BytesInFlight;
  readonly record_content: boolean;
  readonly record_start: boolean;
  readonly result_ttl_ms: number;
  readonly expire_after_ms: number;
  readonly max_paused: MaxPaused;
  /** Longest time that content is kept, from when its run was made; null: as long as its kind says. */
  readonly retention_ms: number | null;
  readonly content_keys: ContentKeys;
  /** False for a process of a server that has sealed its inventory: one record a route at each start of a server. */
  readonly seals_inventory: boolean;
  readonly ledger: LedgerOptions;
  /** Starts although the newest record is newer than this machine's clock: the clock is right. */
  readonly accepts_clock?: boolean;
  readonly exporters: readonly ExportTarget[];
  /** Null where there is no retrieval. */
  readonly retrieval: RetrievalPart | null;
}

/** Documents beside the runs: their guards start with the others, and nothing is served before they are open. */
export interface RetrievalPart {
  readonly nodes: readonly PipelineNode[];
  open(): Promise<void>;
}

export interface LedgerOptions {
  /** Null: the id that the ledger was given when it was made. */
  readonly origin: string | null;
  /** Ed25519 private keys that sign checkpoints, the newest first, at least one; or one that is made at the first start. */
  readonly signing_keys: readonly KeyObject[] | OwnKey;
  /** Remembers the newest checkpoint outside the store; null: nothing does. */
  readonly checkpoint_pin: CheckpointPin | null;
}
