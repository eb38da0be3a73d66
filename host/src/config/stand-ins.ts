import { isObject } from '@svc/contracts';
import { stringsOf } from './json-shape.ts';
import { isSecretText } from './secret-reference.ts';

/** Stand-ins for unresolved secrets: one for each form that the built-in plugins accept. */
const STAND_INS = [
  'stand-in',
  `whsec_${Buffer.alloc(32, 1).toString('base64')}`,
  'https://stand-in.example',
  'postgres://stand-in.example/svc',
] as const;
/** Up to this many secrets, all combinations of forms are tried. Further secrets share the form of the last one. */
const MAX_APART = 3;

/** The options with stand-ins for their secrets, once per combination. Empty if they have no secrets. */
export function* withStandIns(options: unknown): Generator<unknown> {
  const texts = [...new Set([...stringsOf(options)].map(({ text }) => text).filter(isSecretText))];
  if (texts.length === 0) return;
  const apart = Math.min(texts.length, MAX_APART);
  for (let choice = 0; choice < STAND_INS.length ** apart; choice += 1) {
    const chosen = texts.map((text, index) => [text, standIn(choice, Math.min(index, apart - 1))] as const);
    yield replaced(options, new Map(chosen));
  }
}

/** The stand-in for one digit of `choice`, written in base `STAND_INS.length`. */
function standIn(choice: number, digit: number): string {
  return STAND_INS[Math.floor(choice / STAND_INS.length ** digit) % STAND_INS.length] ?? STAND_INS[0];
}

function replaced(value: unknown, chosen: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return chosen.get(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => replaced(item, chosen));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, replaced(child, chosen)]));
}
