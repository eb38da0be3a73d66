import type { NetworkOptions } from './options.ts';
import { type PemError, PemFiles } from './pem-files.ts';
import { proxyFor } from './proxies.ts';

/** The files of a network. */
export function pemFilesOf(
  { ca, client_certificate, client_key }: NetworkOptions,
  directory: string,
  onProblem: (error: PemError) => void,
): PemFiles {
  return new PemFiles(
    { ca: ['ca', ca], cert: ['client_certificate', client_certificate], key: ['client_key', client_key] },
    directory,
    onProblem,
  );
}

/** @throws {Error} with the key and the remedy, never with a value, for options that cannot be used */
export function assertNetwork(options: NetworkOptions, directory: string): void {
  pemFilesOf(options, directory, () => undefined).check();
  for (const any of ['http://host.invalid', 'https://host.invalid']) proxyFor(new URL(any), options.proxy, process.env);
}
