import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parsePolicy } from '@svc/ledger';
import { printable } from '../terminal/terminal.ts';
import type { CheckedPack } from './check-pack.ts';
import { FILES } from './files.ts';
import { faultIn, PackFault } from './pack-fault.ts';
import { parseKeys, rootsIn } from './trust.ts';
import { type GivenTrust, verifyFolder } from './verify-folder.ts';

/** The style of the page, `pack.css`. The build puts it here. */
declare const PACK_STYLE: string;

/** The program `verify.mjs` of an evidence pack. The build makes it one file without dependencies. Exit codes: 0 valid, 1 not valid or misused. */

const USAGE = `node verify.mjs [FOLDER] [--key VKEY].. [--policy FILE] [--tsa-ca FILE] [--json]

Verifies an evidence pack without a network. FOLDER is the one with this file.
--key      a public key of the ledger that you got elsewhere, in place of the ones in trust/
--policy   your policy of witnesses (tlog-policy), in place of the one in trust/
--tsa-ca   your root certificates of the time-stamp authority (PEM), in place of the ones in trust/
`;

const options = {
  key: { type: 'string', multiple: true },
  policy: { type: 'string' },
  'tsa-ca': { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

function readArguments() {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new PackFault(`${error instanceof Error ? error.message : error}; see --help`);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  if (values.help) return void process.stdout.write(USAGE);
  const [folder = dirname(fileURLToPath(import.meta.url)), ...more] = positionals;
  if (more.length > 0) throw new PackFault('give at most one FOLDER; see --help');
  const given: GivenTrust = {
    ...(values.key !== undefined && { keys: parseKeys(values.key.join('\n')) }),
    ...(values.policy !== undefined && { policy: parsePolicy(await readFile(values.policy, 'utf8')) }),
    ...(values['tsa-ca'] !== undefined && { roots: await rootsIn(values['tsa-ca']) }),
  };
  const checked = await verifyFolder(folder, given, PACK_STYLE);
  const isValid = checked.checks.every(({ ok }) => ok);
  process.stdout.write(values.json ? `${JSON.stringify({ valid: isValid, ...checked })}\n` : asText(checked, isValid, given));
  process.exitCode = isValid ? 0 : 1;
}

function asText({ checks, facts }: CheckedPack, isValid: boolean, { keys, policy, roots }: GivenTrust): string {
  const lines = checks.map(({ name, ok, text }) => `${ok ? 'ok    ' : 'BROKEN'}  ${name}: ${printable(text)}`);
  const verdict = isValid ? 'VALID' : 'BROKEN: do not rely on this pack';
  const trusted =
    keys === undefined
      ? 'The keys are those of the pack. Compare trust/ledger.vkey with the keys that you got from the operator, or give --key.'
      : 'The keys are those that you gave.';
  const ofPack = [
    ...(facts?.cosigned.state === 'checked' && policy === undefined ? [FILES.policy] : []),
    ...(facts?.timestamped.state === 'checked' && roots === undefined ? [FILES.roots] : []),
  ];
  const others =
    ofPack.length === 0 ? [] : [`Also from the pack itself: ${ofPack.join(', ')}. Compare them, or give --policy and --tsa-ca.`];
  const limits = [trusted, ...others, 'Not signed by the gateway, only listed in SHA256SUMS: report/ and this program.'];
  return `${[...lines, '', verdict, ...(isValid ? limits : [])].join('\n')}\n`;
}

main().catch((error: unknown) => {
  process.exitCode = 1;
  process.stderr.write(`verify: ${printable(faultIn(error))}\n`);
});
