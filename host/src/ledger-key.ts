import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/**
 * The key of this file, made at the first start: an Ed25519 private key in PEM, readable by its owner only. Of several processes that
 * start together one makes it.
 * @throws where it is there and no such key
 */
export async function ledgerKey(file: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  try {
    await writeFile(file, pem, { flag: 'wx', mode: 0o600, flush: true });
    return privateKey;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw new Error(`the signing key ${file} cannot be written`, { cause: error });
  }
  const key = await readFile(file, 'utf8').then(createPrivateKey);
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is no Ed25519 private key`);
  return key;
}
