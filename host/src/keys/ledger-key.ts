import { createPrivateKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

/**
 * The key of this file, made at the first start: an Ed25519 private key in PEM, readable by its owner only. Of several processes that
 * start together one makes it.
 * @throws where it is there and no such key
 */
export async function ledgerKey(file: string): Promise<KeyObject> {
  const found = await readLedgerKey(file);
  if (found !== null) return found;
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  // Whole or not there: another process may look at any moment.
  const beside = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(beside, pem, { flag: 'wx', mode: 0o600, flush: true });
    await link(beside, file);
    return privateKey;
  } catch (error) {
    const made = hasCode(error, 'EEXIST') ? await readLedgerKey(file) : null;
    if (made !== null) return made;
    if (!hasCode(error, 'EACCES') && !hasCode(error, 'EROFS') && !hasCode(error, 'EPERM')) throw error;
    const remedy = 'set ledger.signing_keys or store.content_key_file, in whose folder it is made, or let this user write there';
    throw new Error(`the signing key ${file} cannot be made: ${remedy}`, { cause: error });
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

/** The key of this file, null where there is none. @throws where there is something else */
export async function readLedgerKey(file: string): Promise<KeyObject | null> {
  const pem = await readFile(file).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (pem === null) return null;
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is not an Ed25519 private key`);
  return key;
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
