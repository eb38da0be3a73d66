import { isDeepStrictEqual } from 'node:util';
import { isObject, JsonCounter } from '@svc/contracts';

/** Whether two values are the same to their reader. JSON in a string may have been reformatted. */
export function isSame(one: unknown, other: unknown): boolean {
  if (typeof one === 'string' && typeof other === 'string') return one === other || isSameJson(one, other);
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((each, i) => isSame(each, other[i]));
  if (!isObject(one)) return one === other;
  if (!isObject(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isSame(one[key], other[key]));
}

/** Whether two texts are the same JSON, with equally many values: guards see a repeated key once. */
function isSameJson(one: string, other: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(one), JSON.parse(other)) && valuesIn(one) === valuesIn(other);
  } catch {
    return false;
  }
}

function valuesIn(json: string): number {
  const counter = new JsonCounter();
  counter.text(json);
  return counter.values;
}
