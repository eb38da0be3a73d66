import type { ChatCompletion, JsonObject, JsonValue } from '@svc/sdk';
import { objectsIn } from '@svc/sdk/protocol';
import { type Identity, isObject, malformed, noAnswer, parseAnswer, reportedError } from '@svc/toolkit/upstream';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { writeArguments } from './call-arguments.ts';
import { repairCommonFields } from './common-fields.ts';
import { hasOtherParts, joinContentParts } from './content-parts.ts';
import { dropNulls } from './drop-nulls.ts';

const ToolCall = Type.Object({
  id: Type.String(),
  type: Type.String(),
  function: Type.Optional(Type.Object({ name: Type.String(), arguments: Type.String() })),
});

const Message = Type.Object({
  role: Type.String(),
  content: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Unsafe<JsonValue>({})), Type.Null()])),
  tool_calls: Type.Optional(Type.Array(ToolCall)),
});

const Completion = Compile(
  Type.Object({
    id: Type.String(),
    object: Type.Literal('chat.completion'),
    created: Type.Integer(),
    model: Type.String(),
    choices: Type.Array(
      Type.Object({
        index: Type.Integer({ minimum: 0 }),
        message: Message,
        finish_reason: Type.Union([Type.String(), Type.Null()]),
      }),
      { minItems: 1 },
    ),
  }),
);

function repairChoice(choice: JsonObject, position: number): void {
  if (isObject(choice.error)) throw reportedError(choice.error);
  choice.index ??= position;
  choice.finish_reason ??= null;
  if (!isObject(choice.message)) return;
  choice.message.role ??= 'assistant';
  dropNulls(choice.message, ['tool_calls']);
  // Content that has only text parts may stay a list.
  if (hasOtherParts(choice.message.content)) joinContentParts(choice.message);
  objectsIn(choice.message.tool_calls).forEach(repairCall);
}

function repairCall(call: JsonObject, position: number): void {
  call.type ??= 'function';
  // Gemini's older models send calls without an id.
  if (call.id === undefined || call.id === null || call.id === '') call.id = `call_${position}`;
  if (!isObject(call.function)) return;
  writeArguments(call.function);
  call.function.arguments ??= '{}';
}

/**
 * Reads a whole answer.
 * @throws {ProviderError} `malformed` if it is not a chat completion
 */
export function readCompletion(text: string, identity: Identity): ChatCompletion {
  const answer = parseAnswer(text);
  if (!isObject(answer)) throw malformed('not an object');
  if (answer.error !== undefined && answer.error !== null) throw reportedError(answer.error);
  return checkedCompletion(answer, identity);
}

/**
 * Turns the object into a chat completion by adding fields that servers omit.
 * @throws {ProviderError} `malformed`
 */
function checkedCompletion(answer: JsonObject, identity: Identity): ChatCompletion {
  if (answer.choices === undefined) throw noAnswer('no choices');
  repairCommonFields(answer, 'chat.completion', identity);
  objectsIn(answer.choices).forEach(repairChoice);
  const completion: unknown = answer;
  if (!Completion.Check(completion)) throw malformed('not a chat completion');
  const { choices } = completion;
  if (choices.length > 1 && new Set(choices.map(({ index }) => index)).size < choices.length)
    throw malformed('two choices with the same index');
  for (const { message } of choices) {
    for (const call of message.tool_calls ?? []) {
      if (call.type === 'function' && call.function === undefined) throw malformed('a function call without a function');
    }
  }
  return completion;
}
