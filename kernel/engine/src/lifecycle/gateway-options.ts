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
  /** Threads for the heavy work of guards. Closed by whoever created them. */
  readonly workers: GuardWorkers;
  /** Counts tokens if a provider reports no usage. Null: one token for every four characters. */
  readonly count_tokens: TokenCounter | null;
  readonly logger: Logger;
  readonly observer: Observer;
  readonly bytes: BytesInFlight;
  readonly record_content: boolean;
  readonly record_start: boolean;
  readonly result_ttl_ms: number;
  readonly expire_after_ms: number;
  readonly max_paused: MaxPaused;
  /** How long content is kept at most, from the creation of its run. Null: as long as its kind says. */
  readonly retention_ms: number | null;
  readonly content_keys: ContentKeys;
  /** False for further processes of one server: the inventory is recorded once per start of a server. */
  readonly seals_inventory: boolean;
  readonly ledger: LedgerOptions;
  /** Starts although the newest record is newer than this machine's clock: the clock is right. */
  readonly accepts_clock?: boolean;
  readonly exporters: readonly ExportTarget[];
  /** Null: no retrieval. */
  readonly retrieval: RetrievalPart | null;
}

/** Retrieval beside the runs: its guards start with the others, and nothing is served before it is open. */
export interface RetrievalPart {
  readonly nodes: readonly PipelineNode[];
  open(): Promise<void>;
}

export interface LedgerOptions {
  /** Null: the id that the ledger got when it was created. */
  readonly origin: string | null;
  /** Ed25519 private keys that sign checkpoints, the newest first, at least one. Or one key that is created at the first start. */
  readonly signing_keys: readonly KeyObject[] | OwnKey;
  /** Remembers the newest checkpoint outside the store. Null: nothing does. */
  readonly checkpoint_pin: CheckpointPin | null;
}
