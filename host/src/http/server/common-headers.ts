/** Headers of every response. Nothing is cached. The Content-Security-Policy of a page is part of its file. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
