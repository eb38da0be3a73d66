import {
  type AnyProvider,
  type AnySecretsBackend,
  API_VERSION,
  isOptionsSchema,
  OptionsSchemaError,
  PLUGIN_BRAND,
  type PluginDefinition,
  type PluginInstances,
  type PluginKind,
  type Provider,
  type SecretsBackend,
} from '@svc/contracts';
import type { TSchema } from 'typebox';

type Body<
  K extends PluginKind,
  S extends TSchema,
  I extends PluginInstances[K]['instance'] = PluginInstances[K]['instance'],
> = Pick<PluginDefinition<K, S, I>, 'type' | 'options' | 'create'>;

/** @throws {OptionsSchemaError} if a gateway would reject the options schema, so that the plugin's own tests notice it */
function define<K extends PluginKind, S extends TSchema, I extends PluginInstances[K]['instance']>(
  kind: K,
  body: Body<K, S, I>,
): PluginDefinition<K, S, I> {
  if (!isOptionsSchema(body.options)) throw new OptionsSchemaError();
  return { [PLUGIN_BRAND]: true, apiVersion: API_VERSION, kind, ...body };
}

/** Creates the default export of a guard's entry file. See `PluginDefinition` and `Guard` for its contract. */
export function defineGuard<S extends TSchema>(body: Body<'guard', S>): PluginDefinition<'guard', S> {
  return define('guard', body);
}

/** Creates the default export of a provider's entry file. See `Provider`. */
export function defineProvider<S extends TSchema, P extends AnyProvider = Provider>(
  body: Body<'provider', S, P>,
): PluginDefinition<'provider', S, P> {
  return define('provider', body);
}

/** Creates the default export of a store's entry file. See `Store`. */
export function defineStore<S extends TSchema>(body: Body<'store', S>): PluginDefinition<'store', S> {
  return define('store', body);
}

/** Creates the default export of an exporter's entry file. See `Exporter`. */
export function defineExporter<S extends TSchema>(body: Body<'exporter', S>): PluginDefinition<'exporter', S> {
  return define('exporter', body);
}

/** Creates the default export of a vector store's entry file. See `Vectors`. */
export function defineVectors<S extends TSchema>(body: Body<'vectors', S>): PluginDefinition<'vectors', S> {
  return define('vectors', body);
}

/** Creates the default export of an embedder's entry file. See `Embedder`. */
export function defineEmbedder<S extends TSchema>(body: Body<'embedder', S>): PluginDefinition<'embedder', S> {
  return define('embedder', body);
}

/** Creates the default export of a protocol's entry file. See `ProtocolPlugin`. */
export function defineProtocol<S extends TSchema>(body: Body<'protocol', S>): PluginDefinition<'protocol', S> {
  return define('protocol', body);
}

/** Creates the default export of a secrets backend's entry file. See `SecretsBackend` and `SigningBackend`. */
export function defineSecrets<S extends TSchema, B extends AnySecretsBackend = SecretsBackend>(
  body: Body<'secrets', S, B>,
): PluginDefinition<'secrets', S, B> {
  return define('secrets', body);
}
