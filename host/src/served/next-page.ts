import { CliError } from '../errors/cli-error.ts';

/**
 * The next page of a list, or null: this is the last page.
 * @param page the address of this page
 * @throws {CliError} if the next one is on another server, because the key must not be sent there
 */
export function nextPage(headers: Headers, page: URL): URL | null {
  const link = /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  if (link === undefined) return null;
  const next = URL.parse(link, page.href);
  if (next?.origin !== page.origin) throw new CliError(`${page.origin} links to a different server for the next page`);
  return next;
}
