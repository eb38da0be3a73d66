import type { JsonValue } from '@svc/sdk';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';

/** Unknown fields are ignored. */
const Answer = Compile(
  Type.Object({
    choices: Type.Array(Type.Object({ message: Type.Object({ content: Type.String() }), finish_reason: Type.Literal('stop') }), {
      minItems: 1,
      maxItems: 1,
    }),
  }),
);

const NAME = '[A-Za-z][A-Za-z0-9._-]{0,63}';
const UNSAFE = new RegExp(`^unsafe(?:\\n[ \\t]*(${NAME}(?:[ \\t]*,[ \\t]*${NAME})*))?$`);

/** A verdict in the form of Llama Guard; `safe` has no categories. Null if the answer is anything else: then the model did not judge. */
export function categoriesIn(answer: JsonValue): readonly string[] | null {
  if (!Answer.Check(answer)) return null;
  const said = answer.choices[0]?.message.content.trim() ?? '';
  if (said === 'safe') return [];
  const unsafe = UNSAFE.exec(said);
  if (unsafe === null) return null;
  return unsafe[1]?.split(',').map((name) => name.trim()) ?? ['unsafe'];
}
