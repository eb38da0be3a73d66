/** The headers of a `text/event-stream`. Proxies must not buffer it. */
export const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/** A comment of a `text/event-stream`, which clients ignore. */
export const KEEP_ALIVE = ': keep-alive\n\n';
