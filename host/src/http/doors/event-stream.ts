/** The head fields of a `text/event-stream`, which nothing on the way is to hold back. */
export const EVENT_STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
} as const;

/** A comment of a `text/event-stream`, which readers pass over. */
export const KEEP_ALIVE = ': keep-alive\n\n';
