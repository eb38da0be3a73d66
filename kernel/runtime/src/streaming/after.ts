/** Goes on with what is there, or once it is: frames of a stream wait for nobody where guards and reader answer at once. */
export function after<T, R>(value: T | Promise<T>, next: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value);
}
