import type { TextOrigin } from '@svc/contracts';
import { words } from './words.ts';

/**
 * The field that marks the texts of an object: a turn, the system prompt, or any object in one of them. The gateway sets it where a guard adds
 * context, and a caller may set it. It is kept with the request, and removed before the request is sent to a model.
 */
export const ORIGIN_MARK = 'svc_origin';
/** The mark of what a guard adds to a request. */
export const RETRIEVED = { [ORIGIN_MARK]: 'retrieved' } as const;
/**
 * The only accepted value. It is stricter than the origin of any speaker; if a stricter origin also applies, that one counts. So a mark never makes a text more
 * trusted.
 */
export const MARKS = words(RETRIEVED[ORIGIN_MARK]);

export function markOf(value: object): TextOrigin | null {
  return Reflect.get(value, ORIGIN_MARK) === RETRIEVED[ORIGIN_MARK] ? RETRIEVED[ORIGIN_MARK] : null;
}

/** The type of an item or a part; null if it is not a string. */
export function typeOf(value: object): string | null {
  const type: unknown = Reflect.get(value, 'type');
  return typeof type === 'string' ? type : null;
}

/**
 * Fields in a turn that contain data or schemas of tools. There, a key with the name of the mark belongs to the tool. For the input of a tool, the tables say
 * so.
 */
export const DATA_OF_TOOLS = words('arguments attributes input input_schema parameters response tools');

/**
 * `unknown` if the table does not know a name in the place: the name of a parameter, or any name in a turn. Otherwise null.
 * @param turn matches the start of a pattern in a turn, up to the names in it; absent: there are no turns
 */
export function unknownOrigin(pattern: string, turn?: RegExp): 'unknown' | null {
  const start = turn?.exec(pattern)?.[0];
  const isUnknown = start === undefined ? /^\?/.test(pattern) : /(?:^|\.)\?/.test(pattern.slice(start.length));
  return isUnknown ? 'unknown' : null;
}
