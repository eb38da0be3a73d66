import { type TObjectOptions, type TSchema, type TStringOptions, Type } from 'typebox';
import { ApprovalsSchema, readApprovals } from './approvals-section.ts';
import { AuthSchema, readAuth } from './auth-section.ts';
import { ExporterSchema, readExporters } from './exporters-section.ts';
import { AllowListSchema } from './find-catalogue.ts';
import { LedgerSchema, readLedger } from './ledger-section.ts';
import { LimitSchema, readLimits } from './limits-section.ts';
import { NoticesSchema, readNotices } from './notices-section.ts';
import { OperationsSchema, readOperations } from './operations-section.ts';
import { PackSchema, readPacks } from './packs-section.ts';
import { PricesSchema, readPrices } from './prices-section.ts';
import { ProtocolSchema, readProtocols } from './protocols-section.ts';
import { ProviderSchema, readProviders } from './providers-section.ts';
import { RagSchema, readRag } from './rag-section.ts';
import { RetentionSchema, readRetention } from './retention-section.ts';
import { ROUTE_NAME, RouteSchema, readRoutes } from './routes-section.ts';
import { RunsSchema, readRuns } from './runs-section.ts';
import { closed, NODE_NAME } from './schema-parts.ts';
import { SecretsSchema } from './secrets-section.ts';
import { readServer, ServerSchema } from './server-section.ts';
import { readStore, StoreSchema } from './store-section.ts';
import { readTelemetry, TelemetrySchema } from './telemetry-section.ts';

const named = <S extends TSchema>(
  schema: S,
  name: TStringOptions,
  description: string,
  more: TObjectOptions & { default?: object } = {},
) => Type.Record(Type.String(), schema, { propertyNames: Type.String(name), ...more, description });
const list = <S extends TSchema>(schema: S, description: string) => Type.Array(schema, { default: [], description });

/** As in a reference. */
const BACKEND_NAME = {
  pattern: '^(?!(env|file)$)[a-z0-9][a-z0-9-]{0,63}$',
  title: 'lower-case letters, digits and hyphens, and neither env nor file, which are built in',
};

// `title` describes in words what a pattern allows, for diagnostics. Fields with a default may be omitted.

/**
 * The sections of the file. A reader's context has the results of the sections above it. `reloadable`: whether another configuration may change the
 * section while the gateway runs, or the keys of the section that it may change.
 */
export const SECTIONS = {
  server: { schema: ServerSchema, read: readServer },
  auth: { schema: AuthSchema, read: readAuth, reloadable: true },
  secrets: {
    schema: named(SecretsSchema, BACKEND_NAME, 'Backends of secrets by name, besides `env` and `file`.', { default: {} }),
    read: null,
    reloadable: true,
  },
  providers: { schema: named(ProviderSchema, NODE_NAME, 'Model providers by name.'), read: readProviders, reloadable: true },
  packs: { schema: named(PackSchema, NODE_NAME, 'Enabled guards by name.', { default: {} }), read: readPacks, reloadable: true },
  routes: { schema: named(RouteSchema, ROUTE_NAME, 'Routes by name.', { minProperties: 1 }), read: readRoutes, reloadable: true },
  prices: { schema: Type.Optional(PricesSchema), read: readPrices, reloadable: true },
  limits: {
    schema: list(LimitSchema, 'Limits of requests and tokens per minute, and of concurrent requests.'),
    read: readLimits,
    reloadable: true,
  },
  approvals: { schema: ApprovalsSchema, read: readApprovals },
  runs: { schema: RunsSchema, read: readRuns },
  retention: { schema: RetentionSchema, read: readRetention },
  operations: { schema: OperationsSchema, read: readOperations },
  store: { schema: StoreSchema, read: readStore },
  ledger: { schema: LedgerSchema, read: readLedger, reloadable: ['signing_keys'] },
  protocols: {
    schema: list(ProtocolSchema, 'Client protocols in addition to those of OpenAI and Anthropic.'),
    read: readProtocols,
  },
  exporters: { schema: list(ExporterSchema, 'Destinations of every ledger record.'), read: readExporters },
  telemetry: { schema: TelemetrySchema, read: readTelemetry },
  notices: { schema: Type.Optional(NoticesSchema), read: readNotices },
  rag: { schema: Type.Optional(RagSchema), read: readRag },
  plugins: { schema: Type.Optional(AllowListSchema), read: null },
};

type Schemas = { [name in keyof typeof SECTIONS]: (typeof SECTIONS)[name]['schema'] };
const schemas = Object.fromEntries(Object.entries(SECTIONS).map(([name, { schema }]) => [name, schema])) as Schemas;

/** The whole configuration file, with defaults filled in. */
export const ConfigSchema = closed(schemas, { title: 'svc.yaml', description: 'The configuration of one gateway.' });
