import { isObject, type JsonObject } from '@svc/contracts';
import { assertNetwork, type NetworkOptions, networkOptions } from '@svc/toolkit/network';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { noteSecretsByForm } from './create-plugin.ts';
import type { Path } from './diagnostic.ts';
import { withPemFiles } from './pem-options.ts';
import type { SecretContext } from './resolve-secrets.ts';

const Options = Type.Object(networkOptions);

export interface NetworkContext extends SecretContext {
  /** Of the configuration file. */
  readonly directory: string;
}

/** The options of the network in a section that is no plugin, with their secrets; what is wrong is reported. */
export async function readNetwork(section: JsonObject, path: Path, context: NetworkContext): Promise<NetworkOptions> {
  const { report, secrets, resolveSecrets, directory } = context;
  const given = Object.fromEntries(Object.entries(section).filter(([key]) => key in networkOptions));
  noteSecretsByForm(given, path, context);
  if (!(await secrets.check(given, path))) return {};
  const files = await withPemFiles(Options, given, directory);
  const options: unknown = resolveSecrets ? await secrets.resolve(files, path) : files;
  if (!isObject(options) || !Value.Check(Options, options)) return {};
  try {
    assertNetwork(options, directory);
  } catch (error) {
    report.error('SVC-POL-001', path, secrets.hideIn(error instanceof Error ? error.message : 'cannot be used'));
  }
  return options;
}
