/** Of every answer: nothing of it is cached. The Content-Security-Policy of a page is part of its file. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
