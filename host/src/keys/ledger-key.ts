import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { SigningKey } from '@svc/contracts';
import { signingKey } from '@svc/ledger';
import { readIfThere, secretFile } from '../key-storage/secret-file.ts';

const PURPOSE = {
  what: 'the signing key',
  remedy: 'set ledger.signing_keys, or give this user write access to the folder of store.content_key_file',
};

/**
 * The Ed25519 private key in this file, in PEM. It is created at the first start.
 * @throws if the file contains something else, or cannot be created
 */
export async function ledgerKey(file: string): Promise<SigningKey> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  return parse(file, await secretFile(file, String(pem), PURPOSE));
}

/**
 * The key in this file, or null.
 * @throws if the file contains something else
 */
export async function readLedgerKey(file: string): Promise<SigningKey | null> {
  const pem = await readIfThere(file);
  return pem === null ? null : parse(file, pem);
}

function parse(file: string, pem: string): SigningKey {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is not an Ed25519 private key: restore the original file`);
  return signingKey(key);
}
