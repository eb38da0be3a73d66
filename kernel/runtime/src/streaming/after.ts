/** Calls `next` with a value at once, or when its promise resolves. So a frame is not delayed if guards and reader answer synchronously. */
export function after<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value);
}
