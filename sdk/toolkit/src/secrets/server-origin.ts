import { isUnresolved } from '../network/options.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Checks an option with the origin of a server, such as `https://vault.example:8200`. `http` is allowed only for this machine.
 * @returns the origin without a slash at its end; an unresolved reference is returned unchanged
 * @throws {Error} with the option and the remedy, never with the value
 */
export function serverOrigin(option: string, value: string): string {
  const url = URL.parse(value);
  if (url === null && isUnresolved(value)) return value;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname));
  if (url === null || !isSafe || url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '')
    throw new Error(
      `${option}: not the origin of a server, such as https://vault.example:8200; http is allowed only for this machine`,
    );
  return url.origin;
}
