import type { JsonObject, PluginKind } from '@svc/contracts';
import type { PluginCatalogue, PluginEntry } from '@svc/kernel/plugins';
import type { ApprovalsPart } from './approvals-section.ts';
import type { AuthPart } from './auth-section.ts';
import type { ExportersPart } from './exporters-section.ts';
import type { LedgerPart } from './ledger-section.ts';
import type { LimitsPart } from './limits-section.ts';
import type { NoticesPart } from './notices-section.ts';
import type { OperationsPart } from './operations-section.ts';
import type { PacksPart } from './packs-section.ts';
import type { PricesPart } from './prices-section.ts';
import type { ProtocolsPart } from './protocols-section.ts';
import type { ProvidersPart } from './providers-section.ts';
import type { RagPart } from './rag-section.ts';
import type { RetentionPart } from './retention-section.ts';
import type { RoutesPart } from './routes-section.ts';
import type { RunsPart } from './runs-section.ts';
import type { SecretsPart } from './secrets-section.ts';
import type { ServerPart } from './server-section.ts';
import type { StorePart } from './store-section.ts';
import type { TelemetryPart } from './telemetry-section.ts';

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
  /** Only for a refused plugin: why, as one line. */
  readonly reason?: string;
}

/** A configuration without errors. Its instances are created, but not started. */
export interface ResolvedConfig
  extends ApprovalsPart,
    AuthPart,
    ExportersPart,
    LedgerPart,
    LimitsPart,
    NoticesPart,
    OperationsPart,
    PacksPart,
    PricesPart,
    ProtocolsPart,
    ProvidersPart,
    RagPart,
    RetentionPart,
    RoutesPart,
    RunsPart,
    SecretsPart,
    ServerPart,
    StorePart,
    TelemetryPart {
  /** Absolute path. */
  readonly path: string;
  /** Folder of the file. Relative paths start from it. */
  readonly directory: string;
  /** `sha256:` and 64 hex characters: the digest of the file's bytes. */
  readonly digest: string;
  /** The bytes of the file. */
  readonly bytes: Uint8Array;
  /** The sections of the file by name, with defaults. Secrets are references. */
  readonly sections: JsonObject;
  /** Every loadable plugin, for kinds that have no section (the store). */
  readonly catalogue: PluginCatalogue;
  /** The plugins that the file names. */
  readonly used: ReadonlySet<PluginEntry>;
}
