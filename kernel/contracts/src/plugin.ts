import type { Static, TSchema } from 'typebox';
import { Type } from 'typebox';
import type { ProtocolPlugin } from './door.ts';
import type { Exporter } from './exporter.ts';
import type { Guard, GuardDeps } from './guard.ts';
import { NODE_SETTINGS } from './node-settings.ts';
import type { AnyProvider } from './provider.ts';
import type { Embedder, Vectors } from './rag.ts';
import type { PluginDeps } from './runtime.ts';
import type { AnySecretsBackend } from './secrets.ts';
import type { Store } from './store.ts';

/** Version of these contracts. A plugin declares the version that it supports. Plugins for any other version are refused at start. */
export const API_VERSION = 1;

export const PLUGIN_KINDS = ['guard', 'provider', 'store', 'exporter', 'vectors', 'embedder', 'secrets', 'protocol'] as const;
export type PluginKind = (typeof PLUGIN_KINDS)[number];

/** The instance type of each kind, and what `create` receives besides the options. */
export interface PluginInstances {
  guard: { instance: Guard; deps: GuardDeps };
  provider: { instance: AnyProvider; deps: PluginDeps };
  store: { instance: Store; deps: PluginDeps };
  exporter: { instance: Exporter; deps: PluginDeps };
  vectors: { instance: Vectors; deps: PluginDeps };
  embedder: { instance: Embedder; deps: PluginDeps };
  secrets: { instance: AnySecretsBackend; deps: PluginDeps };
  protocol: { instance: ProtocolPlugin; deps: PluginDeps };
}

/** Key of the brand on a plugin's default export. `Symbol.for` makes the brand work across two loaded copies of the SDK. */
export const PLUGIN_BRAND: unique symbol = Symbol.for('svc.plugin');

/**
 * The default export of a plugin's entry file, created by the SDK's `defineGuard`, `defineProvider` and so on.
 *
 * Authors must not do work on import: it has a limit of 10 s. Only types that a configuration names are imported. Do not read secrets from the
 * environment: the options contain them, already resolved.
 */
export interface PluginDefinition<
  K extends PluginKind = PluginKind,
  S extends TSchema = TSchema,
  I extends PluginInstances[K]['instance'] = PluginInstances[K]['instance'],
> {
  readonly [PLUGIN_BRAND]: true;
  readonly apiVersion: number;
  readonly kind: K;
  /** The `type` in a configuration: lower-case letters, digits and hyphens. */
  readonly type: string;
  /**
   * TypeBox schema of the options, an object without additional properties. The kernel removes its own keys (see {@link KERNEL_KEYS}) before it
   * applies the schema. Mark a secret with `writeOnly: true` to exclude it from every digest. Mark a list with `warnOfDropped: true` if a
   * configuration should rarely drop entries of the list's `default`: lint then warns about dropped ones.
   */
  readonly options: S;
  /**
   * Creates one instance. The options are validated, and contain defaults and resolved secrets. Throw for options that the schema cannot check (such
   * as a pattern that does not compile), with a message that names the key and the remedy; the message is printed at start and by lint. Lint creates
   * instances too, so do not open connections or files here: do that in the instance's `start` or `open`, or at its first use. A small file that the
   * options name may be read, so that lint finds errors in it.
   */
  create(options: Static<S>, deps: PluginInstances[K]['deps']): I;
}

/** The keys of a pack's or provider's section that the kernel itself uses. The plugin's schema does not see them. */
export const KERNEL_KEYS: Readonly<Record<PluginKind, readonly string[]>> = {
  guard: ['type', ...NODE_SETTINGS],
  provider: ['type', 'region', 'developer', 'timeout_ms', 'first_chunk_timeout_ms', 'idle_timeout_ms', 'stream_timeout_ms'],
  store: ['type'],
  exporter: ['type', 'name', 'from'],
  vectors: ['type'],
  embedder: ['type', 'region'],
  secrets: ['type'],
  protocol: ['type'],
};

/** The `svc` field of a plugin package's package.json. */
export const PluginManifest = Type.Object({
  apiVersion: Type.Integer(),
  plugins: Type.Array(
    Type.Object({
      kind: Type.Enum([...PLUGIN_KINDS]),
      type: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' }),
      /** Path of the entry file inside the package, beginning with `./`. */
      entry: Type.String({ pattern: '^\\./' }),
    }),
    { minItems: 1 },
  ),
});
export type PluginManifest = Static<typeof PluginManifest>;
