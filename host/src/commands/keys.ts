import { readArguments } from './arguments.ts';
import { newKey } from './new-key.ts';
import { Refusal } from './refusal.ts';

const PRINCIPAL = /^[A-Za-z0-9._@:+-]{1,128}$/;

/** `svc keys new PRINCIPAL`: prints a new key and the configuration line that knows it. */
export async function keys(args: string[]): Promise<void> {
  const [, principal_id = ''] = readArguments(args, {}, ['new', 'PRINCIPAL']).positionals;
  if (args[0] !== 'new') throw new Refusal(`unknown command keys ${args[0]}; there is: svc keys new PRINCIPAL`, 2);
  if (!PRINCIPAL.test(principal_id)) throw new Refusal('PRINCIPAL is 1 to 128 letters, digits or any of . _ @ : + -', 2);
  const { key, key_hash } = newKey();
  process.stdout.write(`key (give it to ${principal_id}, it is not stored): ${key}\n`);
  process.stdout.write(`line for auth.keys: - { principal_id: ${JSON.stringify(principal_id)}, key_hash: "${key_hash}" }\n`);
}
