/** Sets an own property. Callers and models may use `__proto__` as an ordinary key. */
export function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
