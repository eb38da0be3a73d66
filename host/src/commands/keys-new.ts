import { ROLES } from '../config/roles.ts';
import { CliError } from '../errors/cli-error.ts';
import { newKey } from '../keys/new-key.ts';
import { readArguments } from './arguments.ts';

const PRINCIPAL = /^[A-Za-z0-9._@:+-]{1,128}$/;

/** `svc keys new PRINCIPAL [--role R].. [--json]`: prints a new key and its entry for the configuration. The default role is `call`. */
export function printNewKey(args: string[]): void {
  const { positionals, values } = readArguments(
    args,
    { json: { type: 'boolean', default: false }, role: { type: 'string', multiple: true, default: ['call'] } },
    ['PRINCIPAL'],
  );
  const { role: roles } = values;
  const unknown = roles.find((role) => !(ROLES as readonly string[]).includes(role));
  if (unknown !== undefined) throw new CliError(`unknown role ${unknown}: use one of ${ROLES.join(', ')}`, 2);
  const [principal_id = ''] = positionals;
  if (!PRINCIPAL.test(principal_id)) throw new CliError('PRINCIPAL must be 1 to 128 letters, digits or any of . _ @ : + -', 2);
  const { key, key_hash } = newKey();
  if (values.json) {
    process.stdout.write(`${JSON.stringify({ principal_id, key, key_hash, roles }, null, 2)}\n`);
    return;
  }
  process.stdout.write(`API key for ${principal_id} (not stored; keep it now): ${key}\n`);
  const entry = `{ principal_id: ${JSON.stringify(principal_id)}, key_hash: "${key_hash}", roles: [${roles.join(', ')}] }`;
  process.stdout.write(`add to auth.keys: - ${entry}\n`);
}
