import { JSON_LIMITS, JsonCounter, nextTurn } from '@svc/contracts';
import { tooMuchJson } from './failures.ts';

/** Characters of an event that are processed in one turn of the event loop, about 5 ms. */
const AT_ONCE = 1_048_576;

const ENCODER = new TextEncoder();

/** Whether each processing step needs its own turn of the event loop. */
export function isLarge(data: string): boolean {
  return data.length > AT_ONCE;
}

/**
 * Counts the JSON of an event before it is parsed. A large event is counted in several turns, and the work after that gets a turn of its own.
 * @throws {ProviderError} `malformed` if the event exceeds the limits
 */
export function countEvent(data: string): Promise<void> | undefined {
  // A value and its comma take at least two characters, and a key takes five, so a shorter event cannot exceed the limits. `wellFormed` checks the
  // nesting depth later.
  if (data.length < JSON_LIMITS.values) return undefined;
  const counter = new JsonCounter();
  if (isLarge(data)) return countInTurns(data, counter);
  const excess = counter.text(data);
  if (excess !== null) throw tooMuchJson(excess);
  return undefined;
}

async function countInTurns(data: string, counter: JsonCounter): Promise<void> {
  counter.begin();
  for (let at = 0; at < data.length; at += AT_ONCE) {
    const excess = counter.push(ENCODER.encode(data.slice(at, at + AT_ONCE)));
    if (excess !== null) throw tooMuchJson(excess);
    await nextTurn();
  }
}
