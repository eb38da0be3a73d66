/** Headers of every response. Nothing is cached. A page's own file contains its Content-Security-Policy. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
