/** A `fetch` that calls nothing. */
export const refusing: typeof fetch = () => Promise.reject(new Error('nothing is called during a replay'));

/** Refuses the global `fetch` meanwhile: a third party's guard may use it without `calls_service`. The guard then fails, and is counted. */
export async function withoutFetch<T>(work: () => Promise<T>): Promise<T> {
  const { fetch } = globalThis;
  globalThis.fetch = refusing;
  try {
    return await work();
  } finally {
    globalThis.fetch = fetch;
  }
}
