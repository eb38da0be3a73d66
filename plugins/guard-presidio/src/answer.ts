import type { JsonValue } from '@svc/sdk';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { codeUnits } from './code-points.ts';

const Finding = Type.Object({
  entity_type: Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' }),
  start: Type.Integer({ minimum: 0 }),
  end: Type.Integer({ minimum: 0 }),
  score: Type.Number({ minimum: 0, maximum: 1 }),
});
/** Unknown fields are ignored. */
const Answer = Compile(Type.Array(Finding));

/** The findings in a text, with offsets in UTF-16 code units. Null if the answer is not in Presidio's form. */
export function findingsIn(answer: JsonValue, text: string): readonly Static<typeof Finding>[] | null {
  if (!Answer.Check(answer)) return null;
  const unitsOf = codeUnits(text);
  const findings: Static<typeof Finding>[] = [];
  for (const { entity_type, start: from, end: to, score } of answer) {
    const [start, end] = [unitsOf(from), unitsOf(to)];
    if (start === null || end === null || end <= start) return null;
    findings.push({ entity_type, start, end, score });
  }
  return findings;
}
