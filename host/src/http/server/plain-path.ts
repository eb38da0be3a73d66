/**
 * The address of a request to the API, without the double and trailing slashes that base URLs with a slash at the end cause. Every decision uses this
 * form.
 * @param url path and query; an address in absolute form stays unchanged
 */
export function plainPath(url: string): string {
  if (!url.startsWith('/')) return url;
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  if (!/^\/+v1(\/|$)/.test(path)) return url;
  if (!path.includes('//') && (path === '/' || !path.endsWith('/'))) return url;
  const plain = path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '');
  return query < 0 ? plain : plain + url.slice(query);
}
