import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

/**
 * The key of this file, made at the first start: an Ed25519 private key in PEM, readable by its owner only. Of several processes that
 * start together one makes it.
 * @throws where it is there and no such key
 */
export async function ledgerKey(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  // Whole or not there: another process may look at any moment.
  const beside = `${file}.${process.pid}.new`;
  try {
    if (await isThere(file)) return await keyOf(file);
    await writeFile(beside, pem, { flag: 'w', mode: 0o600, flush: true });
    await link(beside, file);
    return privateKey;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return await keyOf(file);
    if (!hasCode(error, 'EACCES') && !hasCode(error, 'EROFS') && !hasCode(error, 'EPERM')) throw error;
    throw new Error(`the signing key ${file} cannot be made: set ledger.signing_keys, or let this user write there`, {
      cause: error,
    });
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

async function isThere(file: string): Promise<boolean> {
  return readFile(file).then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return false;
      throw error;
    },
  );
}

async function keyOf(file: string): Promise<KeyObject> {
  const key = createPrivateKey(await readFile(file));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is no Ed25519 private key`);
  return key;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
