import type {
  AnyProvider,
  Embedder,
  Exporter,
  Guard,
  JsonObject,
  NodeSettings,
  PluginKind,
  ProtocolPlugin,
  UpstreamTimeouts,
  Vectors,
} from '@svc/contracts';
import type { PluginCatalogue, PluginEntry } from '@svc/kernel/plugins';
import type { TSchema } from 'typebox';
import type { RateLimit } from '../limits/rate-limits.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { LedgerSettings } from './ledger-section.ts';
import type { OidcIssuer, SessionLimits } from './oidc-issuers.ts';
import type { ServerTls } from './read-tls.ts';
import type { Role } from './roles.ts';
import type { Route, ServerConfig, Traces } from './schema.ts';
import type { StoreSettings } from './store-section.ts';

export interface AuthKey {
  readonly principal_id: string;
  /** SHA-256 of the whole key, 64 lower-case hex characters. */
  readonly key_sha256: string;
  /** Null: all. */
  readonly routes: readonly string[] | null;
  readonly roles: readonly Role[];
  /** Of retrieval: names, or prefixes with a trailing `*`. Null: all. */
  readonly namespaces: readonly string[] | null;
  /** Null: none. */
  readonly team: string | null;
}

/** The plugin of an instance, and its options. */
export interface Origin {
  readonly type: string;
  readonly package: string;
  readonly version: string;
  /** Real folder of the package. */
  readonly directory: string;
  /** As written, without the engine's keys, defaults and values of secrets. */
  readonly rawOptions: JsonObject;
  readonly optionsSchema: TSchema;
  /** Hash over package, version and options, values of secrets included: of what the instance is made. Not for any record or log. */
  readonly fingerprint: string;
}

export interface ProviderNode extends Origin {
  /** The key in `providers`. */
  readonly name: string;
  readonly instance: AnyProvider;
  /** Null: none declared. */
  readonly region: string | null;
  readonly developer: string;
  readonly timeouts: UpstreamTimeouts;
}

export interface PackNode extends Origin, NodeSettings {
  /** The key in `packs`. */
  readonly name: string;
  readonly guard: Guard;
  /** RAG namespaces that the guard opened. */
  readonly namespaces: readonly string[];
}

export interface ExporterNode extends Origin {
  readonly name: string;
  readonly instance: Exporter;
  readonly from: 'start' | 'now';
}

/** The section `rag` with its instances. */
export interface RagNode {
  readonly vectors: Vectors;
  readonly embedder: Embedder;
  /** Keys of `packs`. */
  readonly index_pipeline: readonly string[];
}

/** A plugin that was found, and whether this configuration uses it. */
export interface PluginListing {
  readonly package: string;
  readonly version: string;
  readonly directory: string;
  readonly builtIn: boolean;
  /** Null if the manifest is unreadable. */
  readonly kind: PluginKind | null;
  readonly type: string | null;
  readonly state: 'used' | 'unused' | 'refused';
  /** Only for a refused one: one line. */
  readonly reason?: string;
}

/** A configuration without errors. Its instances are created, but not started. */
export interface ResolvedConfig {
  /** Absolute. */
  readonly path: string;
  /** Folder of the file: relative paths are relative to it. */
  readonly directory: string;
  /** `sha256:` and 64 hex characters of the file's bytes. */
  readonly digest: string;
  /** Of the file. */
  readonly bytes: Uint8Array;
  /** Of the file, with defaults, by name; secrets as references. */
  readonly sections: JsonObject;
  readonly server: ServerConfig;
  /** TLS of the gateway itself, with secrets resolved; null: none. */
  readonly tls: ServerTls | null;
  /** Without resolved secrets, keys given by a reference are absent. */
  readonly keys: readonly AuthKey[];
  readonly issuers: readonly OidcIssuer[];
  readonly session: SessionLimits;
  readonly limits: readonly RateLimit[];
  readonly providers: ReadonlyMap<string, ProviderNode>;
  readonly packs: ReadonlyMap<string, PackNode>;
  /** Null: it has none but those of packs. */
  readonly prices: PriceBook | null;
  readonly routes: ReadonlyMap<string, Route>;
  /** Destination of traces, with secrets resolved; null: none. */
  readonly traces: Traces | null;
  readonly exporters: ReadonlyMap<string, ExporterNode>;
  /** Beside those of `@svc/protocols`. */
  readonly protocols: readonly ProtocolPlugin[];
  /** Null: not configured. */
  readonly rag: RagNode | null;
  /** Changes while the gateway runs. */
  readonly operations: { readonly two_person: boolean };
  readonly ledger: LedgerSettings;
  readonly store: StoreSettings;
  /** Null: not configured. */
  readonly drain_delay_ms: number | null;
  /** Null: not configured. */
  readonly drain_timeout_ms: number | null;
  readonly expire_after_ms: number;
  /** Maximum numbers of paused runs. */
  readonly max_paused: { readonly in_all: number; readonly per_principal: number };
  /** How long a decision on a paused run holds for requests that repeat it; 0: not at all. */
  readonly reuse_for_ms: number;
  readonly result_ttl_ms: number;
  readonly record_start: boolean;
  /** Null: content is kept as long as its kind says. */
  readonly retention_ms: number | null;
  /** Every loadable plugin, for kinds without a section (the store). */
  readonly catalogue: PluginCatalogue;
  /** Those that the sections of the file name. */
  readonly used: ReadonlySet<PluginEntry>;
}
