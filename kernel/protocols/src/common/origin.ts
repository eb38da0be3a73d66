import { isObject, type JsonObject, type Protocol, type RequestBody, type TextOrigin } from '@svc/contracts';
import { words } from './words.ts';

/**
 * The field of a turn, or of a part of one, that marks its texts. The gateway sets it where a guard adds context, and a caller may set it. It
 * is kept with the request, and removed before the request is sent to a model.
 */
export const ORIGIN_MARK = 'svc_origin';
/** The mark of what a guard adds to a request. */
export const RETRIEVED = { [ORIGIN_MARK]: 'retrieved' } as const;
/** Stricter than what anybody says, and less strict than all else, so a mark never makes a text more trusted. */
export const MARKS = words(RETRIEVED[ORIGIN_MARK]);

export function markOf(value: object): TextOrigin | null {
  return Reflect.get(value, ORIGIN_MARK) === RETRIEVED[ORIGIN_MARK] ? RETRIEVED[ORIGIN_MARK] : null;
}

/** The type of an item or a part; null if it has none that a table could know. */
export function typeOf(value: object): string | null {
  const type: unknown = Reflect.get(value, 'type');
  return typeof type === 'string' ? type : null;
}

/** The request without marks. */
export function withoutMarks(body: RequestBody, { turnsOf, withTurns }: Pick<Protocol, 'turnsOf' | 'withTurns'>): RequestBody {
  const turns = turnsOf(body);
  const plain = turns.map((turn) => unmarked(turn, true));
  return plain.every((turn, at) => turn === turns[at]) ? body : withTurns(body, plain);
}

/** The value itself if it has no mark. */
function unmarked(value: unknown, isTurn: boolean): unknown {
  if (!isObject(value)) return value;
  const { [ORIGIN_MARK]: mark, ...rest } = value;
  const changed: JsonObject = mark === undefined ? value : rest;
  if (!isTurn) return changed;
  let turn = changed;
  for (const [name, member] of Object.entries(changed)) {
    if (!Array.isArray(member)) continue;
    const parts = member.map((part) => unmarked(part, false));
    if (parts.some((part, at) => part !== member[at])) turn = { ...turn, [name]: parts as JsonObject[] };
  }
  return turn;
}

/**
 * `unknown` if a place has a name that its table does not know: of a parameter, or anywhere in a turn. Otherwise null.
 * @param turn matches the start of a pattern in a turn, up to the names in it; absent: there are no turns
 */
export function unknownOrigin(pattern: string, turn?: RegExp): 'unknown' | null {
  const start = turn?.exec(pattern)?.[0];
  const isUnknown = start === undefined ? /^\?/.test(pattern) : /(?:^|\.)\?/.test(pattern.slice(start.length));
  return isUnknown ? 'unknown' : null;
}
