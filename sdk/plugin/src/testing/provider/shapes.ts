import { type TSchema, Type } from 'typebox';
import Value from 'typebox/value';

const Nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });
const Index = Type.Integer({ minimum: 0 });

const Usage = Type.Object({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
  prompt_tokens_details: Type.Optional(Type.Object({ cached_tokens: Type.Optional(Count) })),
});

const FinishReason = Nullable(Type.String({ minLength: 1 }));

const Message = Type.Object({
  role: Type.String({ minLength: 1 }),
  content: Type.Optional(Type.Union([Type.String(), Type.Array(Type.Unknown()), Type.Null()])),
  tool_calls: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        type: Type.String(),
        function: Type.Optional(Type.Object({ name: Type.String(), arguments: Type.String() })),
      }),
    ),
  ),
});

/** The contract's shape of a whole answer. */
const CompletionShape = Type.Object({
  id: Type.String({ minLength: 1 }),
  object: Type.Literal('chat.completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(Type.Object({ index: Index, message: Message, finish_reason: FinishReason }), { minItems: 1 }),
  usage: Type.Optional(Usage),
});

const Delta = Type.Object({
  role: Type.Optional(Type.String()),
  content: Type.Optional(Nullable(Type.String())),
  tool_calls: Type.Optional(
    Type.Array(
      Type.Object({
        index: Index,
        id: Type.Optional(Type.String()),
        type: Type.Optional(Type.String()),
        function: Type.Optional(Type.Object({ name: Type.Optional(Type.String()), arguments: Type.Optional(Type.String()) })),
      }),
    ),
  ),
});

/** The contract's shape of a chunk of a streamed answer. */
const ChunkShape = Type.Object({
  id: Type.String({ minLength: 1 }),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(Type.Object({ index: Index, delta: Delta, finish_reason: FinishReason })),
  usage: Type.Optional(Nullable(Usage)),
});

const SHAPES = { completion: CompletionShape, chunk: ChunkShape };

/** Where and how a value differs from the shape. */
export function errorsOf(shape: keyof typeof SHAPES, value: unknown): string[] {
  return Value.Errors(SHAPES[shape], value).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}
