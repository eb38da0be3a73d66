import { createPrivateKey, type KeyObject } from 'node:crypto';
import { access, constants, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Value } from 'typebox/value';
import type { Path } from './diagnostic.ts';
import type { Report } from './report.ts';
import type { SecretContext } from './resolve-secrets.ts';
import { LedgerSchema } from './schema.ts';
import { isSecretText } from './secret-reference.ts';

/** The section `ledger`, with its keys parsed. */
export interface LedgerSettings {
  /** Null: the id that the ledger got when it was created. */
  readonly origin: string | null;
  /** Ed25519 private keys, the newest first. Empty: the host creates one. */
  readonly signing_keys: readonly KeyObject[];
  /** Absolute path; null: the host chooses; false: none. */
  readonly pinned_checkpoint_file: string | null | false;
}

const KEYS = ['ledger', 'signing_keys'];
const NO_KEY = 'not an Ed25519 private key in PEM (openssl genpkey -algorithm ed25519)';

/** Null if the section is invalid, which is reported. */
export async function readLedger(
  section: unknown,
  { report, secrets, resolveSecrets, directory }: SecretContext & { readonly directory: string },
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
  const settings = { origin: section.origin ?? null, signing_keys: [], pinned_checkpoint_file };
  const literal = section.signing_keys.findIndex((text) => !isSecretText(text));
  if (literal >= 0) {
    report.error('SVC-POL-008', [...KEYS, literal], 'a private key must not be in the configuration', {
      expected: 'secret://<backend>/<path>#<key>',
    });
    return null;
  }
  if (!(await secrets.check(section.signing_keys, KEYS))) return settings;
  if (!resolveSecrets) {
    for (const [index, text] of section.signing_keys.entries()) {
      const pem = await secrets.atHand(text);
      if (pem !== null) readKey(pem, [...KEYS, index], report);
    }
    return settings;
  }
  const texts = await secrets.resolve(section.signing_keys, KEYS);
  if (!Array.isArray(texts)) return null;
  const signing_keys = texts.map((text: unknown, index) => readKey(String(text), [...KEYS, index], report));
  return signing_keys.every((key) => key !== null) ? { ...settings, signing_keys } : null;
}

/** Whether a file can be created or replaced there. */
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

function readKey(pem: string, path: Path, report: Report): KeyObject | null {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Node's message may quote the file.
  }
  report.error('SVC-POL-001', path, NO_KEY);
  return null;
}
