import { EVENT_DATA } from '@svc/contracts';
import { ConfigSchema } from '../config/schema.ts';
import { schemaReference } from '../config/schema-reference.ts';
import { CliError } from '../errors/cli-error.ts';
import { readArguments, unknownCommand } from './arguments.ts';

const SCHEMAS = new Map<string, object>([
  ['configuration', ConfigSchema],
  ['events', { properties: EVENT_DATA }],
]);

/** `svc reference configuration|events [KEY]`: prints the keys of the configuration, or the fields of each event, as Markdown. */
export async function reference(args: string[]): Promise<void> {
  const [subject, key] = readArguments(args, {}, [], ['SUBJECT', 'KEY']).positionals;
  const schema = SCHEMAS.get(subject ?? '');
  if (schema === undefined) throw unknownCommand('reference', subject, ['reference configuration', 'reference events']);
  const text = schemaReference(schema, key);
  if (text === '') throw new CliError(`${subject} has no key ${key}; svc reference ${subject} lists all`, 2);
  process.stdout.write(text);
}
