import { resolve } from 'node:path';
import { isObject, type SecretsBackend } from '@svc/contracts';
import { readRegularFile } from './regular-file.ts';

export const BUILT_IN_BACKENDS = ['env', 'file'] as const;

/** Why a secret is not available. The message is safe to print. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `path`: the name of the variable. The key is ignored. An empty variable counts as unset. */
export function envBackend(env: Environment): SecretsBackend {
  return {
    async resolve(path) {
      const value = Object.hasOwn(env, path) ? env[path] : undefined;
      if (value === undefined || value === '') throw new SecretError(`the environment variable ${path} is not set`);
      return value;
    },
  };
}

/** `path`: a JSON file (the key names the field) or a PEM file (the value is the whole file, whatever the key is), relative to `directory`. */
export function fileBackend(directory: string): SecretsBackend {
  return {
    async resolve(path, key) {
      const file = resolve(directory, path);
      const bytes = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
        throw new SecretError(`cannot read ${file} (${error.code ?? error.message})`);
      });
      const text = bytes.toString('utf8');
      if (text.trimStart().startsWith('-----BEGIN ')) return text;
      const field = fieldsOf(text, file)[key];
      if (typeof field !== 'string' || field === '') throw new SecretError(`${file} has no text field ${key}`);
      return field;
    },
  };
}

/** The message of JSON.parse is not passed on, because it quotes the file. */
function fieldsOf(text: string, file: string): Record<string, unknown> {
  try {
    const content: unknown = JSON.parse(text);
    if (isObject(content)) return Object.fromEntries(Object.entries(content));
  } catch {}
  throw new SecretError(`${file} is neither a JSON object nor a PEM file`);
}
