import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonValue, type Protocol, type RequestBody } from '@svc/contracts';
import { says } from '@svc/protocols';
import type { ReportedStop } from '@svc/runtime';
import { isStopText } from './stop-text.ts';

/** Maximum number of stops that are removed, because each needs a read of the store. Further ones stay in the request. */
const MAX_LEFT_OUT = 20;
const RUN_IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * In a session, the second try of a prompt follows the first one and its stop: `[…, prompt, stop, prompt]`. This removes the stop and the repeated
 * prompt from the messages: `[…, prompt]`. The result is the same request as the first try. No guard, approver or model sees the removed parts: a
 * whole text of this gateway about a run that it names, and a repetition of the remaining text.
 * @param stopsOf returns the stops that were reported for a run; empty: none, or the run is not the caller's
 * @returns whether anything was removed
 */
export async function leaveOutStops(
  protocol: Protocol,
  body: RequestBody,
  origin: string,
  stopsOf: (run_id: string) => Promise<readonly ReportedStop[]>,
): Promise<boolean> {
  const turns = protocol.turnsOf(body);
  for (let left = 0; left < MAX_LEFT_OUT; left += 1) {
    const at = answerBeforeRepetition(protocol, body);
    const text = at === null ? null : textOf(turns[at], placeOfTurns(protocol), protocol);
    const run_id = text?.match(RUN_IDS)?.at(-1);
    if (at === null || text === null || run_id === undefined) return left > 0;
    // If a stop cannot be looked up, it stays, and guards judge the request again.
    const stops = await stopsOf(run_id).catch(() => []);
    if (!stops.some((stop) => isStopText(text, stop, origin))) return left > 0;
    turns.length = at;
  }
  return true;
}

/** Index of the last answer if the user's turns after it repeat the last user turns before it. Otherwise null. */
export function answerBeforeRepetition(protocol: Protocol, body: RequestBody): number | null {
  const roles = protocol.rolesOf(body);
  const at = roles.lastIndexOf('assistant');
  // Most requests end here, because an agent's last turn has results of tools.
  if (at < 0 || roles.slice(at + 1).some((role) => role !== 'user')) return null;
  const from = roles.slice(0, at).findLastIndex((role) => role === 'assistant' || role === 'tool') + 1;
  const turns = protocol.turnsOf(body);
  const again = turns.slice(at + 1).map((turn) => partsOf(turn, protocol));
  const first = turns.slice(from, at).flatMap((turn, index) => (roles[from + index] === 'user' ? [partsOf(turn, protocol)] : []));
  if (again.includes(null) || first.includes(null)) return null;
  const parts = again.flat();
  return parts.length > 0 && isDeepStrictEqual(first.flat().slice(-parts.length), parts) ? at : null;
}

/** The parts of a turn that has nothing but parts. Null if it has anything else. */
function partsOf(turn: unknown, protocol: Protocol): JsonValue[] | null {
  const [content, ...others] = ownIn(turn, placeOfTurns(protocol), protocol).map(([, member]) => member);
  if (others.length > 0) return null;
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return null;
  return content.map((part) => {
    if (!isObject(part)) return part;
    const { cache_control: _, ...rest } = part;
    return rest;
  });
}

/** The only text in a value, such as a turn in the form of a stop. Null if the value has anything else. */
function textOf(value: unknown, place: string, protocol: Protocol): string | null {
  if (typeof value === 'string') return value;
  const members = Array.isArray(value) ? value.map((member) => ['*', member] as const) : ownIn(value, place, protocol);
  const [[name, member] = [], ...others] = members;
  return name === undefined || others.length > 0 ? null : textOf(member, `${place}.${name}`, protocol);
}

/** The parts of a turn that are not empty. Words and ids of the protocol are ignored, and so are cache marks, which clients move. */
function ownIn(value: unknown, place: string, { request }: Protocol): (readonly [name: string, JsonValue])[] {
  return Object.entries(isObject(value) ? value : {}).filter(([name, member]) => {
    const { vocabulary, idKind } = request.placeOf(`${place}.${request.isKnownField(name) ? name : '?'}`);
    const isWord = typeof member === 'string' && vocabulary.has(member);
    return says(member) && !isWord && idKind !== 'other' && name !== 'cache_control';
  });
}

function placeOfTurns({ request }: Protocol): string {
  return `${request.holder}.*`;
}
