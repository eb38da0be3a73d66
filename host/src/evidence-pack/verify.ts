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

Verifies an evidence pack offline. FOLDER defaults to the folder of this program.
--key      a public key of the ledger that you obtained from another source; replaces those in trust/
--policy   your own witness policy (tlog-policy); replaces the one in trust/
--tsa-ca   your own root certificates of the time-stamp authority (PEM); replace those in trust/
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
  if (more.length > 0) throw new PackFault('more than one FOLDER; see --help');
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
      ? 'Checked only with the keys in the pack itself. Compare trust/ledger.vkey with the keys that the operator gave you, or use --key.'
      : 'Checked with the keys that you gave.';
  const ofPack = [
    ...(facts?.cosigned.state === 'checked' && policy === undefined ? [FILES.policy] : []),
    ...(facts?.timestamped.state === 'checked' && roots === undefined ? [FILES.roots] : []),
  ];
  const others =
    ofPack.length === 0
      ? []
      : [
          `Also taken from the pack itself: ${ofPack.join(', ')}. Compare them with your own copies, or use --policy and --tsa-ca.`,
        ];
  const limits = [
    trusted,
    ...others,
    'report/ and this program are not signed by the gateway; they are only listed in SHA256SUMS.',
  ];
  return `${[...lines, '', verdict, ...(isValid ? limits : [])].join('\n')}\n`;
}

main().catch((error: unknown) => {
  process.exitCode = 1;
  process.stderr.write(`verify: ${printable(faultIn(error))}\n`);
});
