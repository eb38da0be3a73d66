import { isObject, type JsonObject, SvcError } from '@svc/contracts';

/** @param path such as `body/input/0/role` */
export function badField(path: string, what: string): SvcError {
  return new SvcError('SVC-REQ-001', `${path} ${what}`, { param: paramOf(path.split('/').slice(1)) });
}

/** Writes a path as OpenAI's errors do: `messages[0].content`. */
export function paramOf(names: readonly string[]): string {
  return names.reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`), '');
}

/** @throws {SvcError} SVC-REQ-001 */
export function textAt(value: unknown, path: string): string {
  if (typeof value !== 'string') throw badField(path, 'must be string');
  return value;
}

/** @throws {SvcError} SVC-REQ-001 */
export function objectAt(value: unknown, path: string): JsonObject {
  if (!isObject(value)) throw badField(path, 'must be object');
  return value;
}

/** @throws {SvcError} SVC-REQ-001 */
export function arrayAt(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw badField(path, 'must be array');
  return value;
}
