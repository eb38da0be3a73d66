import { isObject, type JsonObject, SvcError } from '@svc/contracts';
import { paramOf } from '../param.ts';

/** @param path as in `body/input/0/role` */
export function badField(path: string, what: string): SvcError {
  return new SvcError('SVC-REQ-001', `${path} ${what}`, { param: paramOf(path.split('/').slice(1)) });
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

/** Without the members that are absent. */
export function present(fields: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as JsonObject;
}
