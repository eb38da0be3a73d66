import type { JsonObject } from '@svc/contracts';
import { assertNetwork, type NetworkOptions, networkOptions } from '@svc/toolkit/network';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { noteLiteralSecrets } from './create-plugin.ts';
import type { Path } from './diagnostic.ts';
import { withPemFiles } from './pem-options.ts';
import type { SecretContext } from './resolve-secrets.ts';

const Options = Type.Object(networkOptions);

export interface NetworkContext extends SecretContext {
  /** Folder of the configuration file. */
  readonly directory: string;
}

/** The network options of a section without a plugin, with their secrets. Errors are reported. */
export async function readNetwork(section: JsonObject, path: Path, context: NetworkContext): Promise<NetworkOptions> {
  const given = Object.fromEntries(Object.entries(section).filter(([key]) => key in networkOptions));
  return (await withSecrets(Options, given, path, context, (options) => assertNetwork(options, context.directory))) ?? {};
}

/**
 * The options of a section without a plugin, with their secrets. Null after an error, which is reported.
 * @param assertFit throws if the options cannot be used
 */
export async function withSecrets<T extends TSchema>(
  schema: T,
  given: JsonObject,
  path: Path,
  context: NetworkContext,
  assertFit: (options: Static<T>) => void,
): Promise<Static<T> | null> {
  const { report, secrets, resolveSecrets, directory } = context;
  noteLiteralSecrets(schema, given, path, context);
  if (!(await secrets.check(given, path))) return null;
  const files = await withPemFiles(schema, given, directory);
  const options: unknown = resolveSecrets ? await secrets.resolve(files, path) : files;
  if (!Value.Check(schema, options)) return null;
  try {
    assertFit(options);
  } catch (error) {
    report.error('SVC-POL-001', path, secrets.hideIn(error instanceof Error ? error.message : 'cannot be used'));
  }
  return options;
}
