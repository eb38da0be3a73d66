import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import type { OwnKey } from '@svc/kernel';

/** The key of this file: an Ed25519 private key in PEM, readable by its owner only. */
export function ledgerKey(file: string): OwnKey {
  return { file, read: () => read(file), make: () => make(file) };
}

/** @throws where there is something else */
async function read(file: string): Promise<KeyObject | null> {
  const pem = await readFile(file).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (pem === null) return null;
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is no Ed25519 private key`);
  return key;
}

async function make(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  // Whole or not there: another process may look at any moment.
  const beside = `${file}.${process.pid}.new`;
  try {
    await writeFile(beside, pem, { flag: 'w', mode: 0o600, flush: true });
    await link(beside, file);
    return privateKey;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return (await read(file)) ?? make(file);
    if (!hasCode(error, 'EACCES') && !hasCode(error, 'EROFS') && !hasCode(error, 'EPERM')) throw error;
    throw new Error(`the signing key ${file} cannot be made: set ledger.signing_keys, or let this user write there`, {
      cause: error,
    });
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
