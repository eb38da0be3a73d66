import { schemaOfConfiguration } from '../compose/configuration.ts';
import { CONFIG_OPTION, readArguments, unknownCommand } from './arguments.ts';

/** `svc config schema`. */
export async function config([command, ...args]: string[]): Promise<void> {
  if (command !== 'schema') throw unknownCommand('config', command, ['svc config schema']);
  return schema(args);
}

/** `svc config schema [--config F]`: prints JSON Schema of the configuration with the options of the plugins that it may load. Names others on standard error. */
async function schema(args: string[]): Promise<void> {
  const { values } = readArguments(args, { config: CONFIG_OPTION });
  const { schema, refused } = await schemaOfConfiguration(values.config);
  for (const reason of refused) process.stderr.write(`svc: left out the options of a plugin that cannot be loaded: ${reason}\n`);
  process.stdout.write(`${JSON.stringify(schema, null, 2)}\n`);
}
