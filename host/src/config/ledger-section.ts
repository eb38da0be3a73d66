import { createPrivateKey } from 'node:crypto';
import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { SigningKey } from '@svc/contracts';
import { signingKey, type WitnessPolicy } from '@svc/ledger';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Path } from './diagnostic.ts';
import type { NetworkContext } from './read-network.ts';
import type { Reader } from './reader.ts';
import type { Report } from './report.ts';
import { closed } from './schema-parts.ts';
import { isSecretText } from './secret-reference.ts';
import { readTimestamps, type TimestampSettings, TimestampsSchema } from './timestamps.ts';
import { readWitnesses, type WitnessSettings } from './witnesses.ts';

export const LedgerSchema = closed(
  {
    origin: Type.Optional(
      Type.String({
        pattern: '^(?!.*/(operations|sessions/[0-9a-f]{64})$)[^\\s+]{1,255}$',
        title:
          'a name without spaces and plus signs that does not end in /operations or in /sessions/ and 64 hex characters, such as example.org/gateway',
        description:
          'Identifies this ledger in every checkpoint; with `/operations` appended, the operations log; with `/sessions/` and 64 hex characters appended, a session. Default: the id that was generated with the ledger.',
      }),
    ),
    signing_keys: Type.Array(Type.String({ minLength: 1, writeOnly: true, description: 'A secret:// reference.' }), {
      default: [],
      maxItems: 8,
      description:
        'Ed25519 private keys in PEM, or keys that a backend holds, newest first. All of them sign each checkpoint. They can be changed while the gateway runs. Default: a key generated at the first start, in the folder of `store.content_key_file`.',
    }),
    pinned_checkpoint_file: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Literal(false)], {
        title: 'a path, or false',
        description:
          'A file that stores the newest checkpoint, ideally on a different volume from the runs-db. At start, the gateway refuses a ledger that is older or different. Default: runs-db.checkpoint in the folder of the content key, or ledger.checkpoint with PostgreSQL. `false`: none.',
      }),
    ),
    witnesses: Type.Array(
      closed({
        url: Type.String({ pattern: '^https?://', description: 'Submission prefix: `/add-checkpoint` is appended.' }),
        vkey: Type.String({ minLength: 1, description: 'Its public key, `NAME+ID+KEY`.' }),
      }),
      {
        default: [],
        maxItems: 16,
        description: 'Witnesses that are asked to cosign the checkpoints of the ledger (https://c2sp.org/tlog-witness).',
      },
    ),
    witness_policy: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'A file that defines which cosignatures are sufficient (https://c2sp.org/tlog-policy). Default: a cosignature of every witness in `ledger.witnesses`.',
      }),
    ),
    timestamps: Type.Optional(TimestampsSchema),
    public_tiles: Type.Boolean({
      default: false,
      description:
        'Whether the checkpoint and the tiles of the ledger can be read without a key. They contain hashes and the number of records, but no content.',
    }),
  },
  { default: {}, description: 'The evidence ledger and its signatures.' },
);

/** The section `ledger`, with its keys parsed. */
export interface LedgerSettings {
  /** Null: the id that the ledger got when it was created. */
  readonly origin: string | null;
  /** Newest first. Empty: the host creates one. */
  readonly signing_keys: readonly SigningKey[];
  /** Absolute path. Null: the host chooses one. False: there is no such file. */
  readonly pinned_checkpoint_file: string | null | false;
  /** Whether the checkpoint and the tiles can be read without a key. */
  readonly public_tiles: boolean;
  readonly witnesses: readonly WitnessSettings[];
  /** Which of them are enough. */
  readonly witness_policy: WitnessPolicy;
  /** Null: there are no time stamps. */
  readonly timestamps: TimestampSettings | null;
}

const KEYS = ['ledger', 'signing_keys'];
const NO_KEY = 'not an Ed25519 private key in PEM (openssl genpkey -algorithm ed25519)';

export interface LedgerPart {
  readonly ledger: LedgerSettings;
}

export const readLedger: Reader<LedgerPart> = async (section, context) => {
  const ledger = await settingsOf(section, context);
  return ledger && { ledger };
};

async function settingsOf(
  section: unknown,
  { report, secrets, resolveSecrets, directory }: NetworkContext,
): Promise<LedgerSettings | null> {
  if (!Value.Check(LedgerSchema, section)) return null;
  const named = section.pinned_checkpoint_file ?? null;
  const pinned_checkpoint_file = typeof named === 'string' ? resolve(directory, named) : named;
  if (typeof pinned_checkpoint_file === 'string' && !(await isWritablePlace(pinned_checkpoint_file))) {
    const remedy =
      'make it writable for this user, choose another path, or disable it with ledger: { pinned_checkpoint_file: false }';
    report.error(
      'SVC-POL-001',
      ['ledger', 'pinned_checkpoint_file'],
      `ledger.pinned_checkpoint_file ${pinned_checkpoint_file} cannot be written: ${remedy}`,
    );
    return null;
  }
  const witnessing = await readWitnesses(section, { report, directory });
  const timestamps = await readTimestamps(section.timestamps, { report, directory });
  if (witnessing === null || timestamps === false) return null;
  const { origin = null, public_tiles } = section;
  const settings = { origin, signing_keys: [], pinned_checkpoint_file, public_tiles, ...witnessing, timestamps };
  const literal = section.signing_keys.findIndex((text) => !isSecretText(text));
  if (literal >= 0) {
    report.error('SVC-POL-008', [...KEYS, literal], 'a private key must not be in the configuration', {
      expected: 'secret://<backend>/<path>#<key>',
    });
    return null;
  }
  if (!(await secrets.check(section.signing_keys, KEYS, true))) return settings;
  if (!resolveSecrets) {
    for (const [index, text] of section.signing_keys.entries()) {
      const pem = await secrets.atHand(text);
      if (pem !== null) readKey(pem, [...KEYS, index], report);
    }
    return settings;
  }
  const signing_keys = await Promise.all(
    section.signing_keys.map(async (text, index) => {
      const path = [...KEYS, index];
      const held = await secrets.heldKey(text, path);
      if (held !== null) return held ?? null;
      const pem = await secrets.resolve(text, path);
      return typeof pem === 'string' ? readKey(pem, path, report) : null;
    }),
  );
  return signing_keys.every((key) => key !== null) ? { ...settings, signing_keys } : null;
}

/** Whether a file can be created or replaced at this path. */
async function isWritablePlace(file: string): Promise<boolean> {
  const isFolder = (path: string) =>
    stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
  const isWritable = access(dirname(file), constants.W_OK).then(
    () => true,
    () => false,
  );
  return (await isFolder(dirname(file))) && (await isWritable) && !(await isFolder(file));
}

function readKey(pem: string, path: Path, report: Report): SigningKey | null {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return signingKey(key);
  } catch {
    // Node's message may quote the file.
  }
  report.error('SVC-POL-001', path, NO_KEY);
  return null;
}
