import { type Static, Type } from 'typebox';
import { Diagnostic } from './configuration.ts';
import { ref, text } from './parts.ts';

export const OpenAiError = Type.Object({
  message: text('The same as `detail`.'),
  type: text("OpenAI's or Anthropic's name for the kind of error."),
  code: text('One of the codes in docs/errors.md, or a known code of the model provider, such as `context_length_exceeded`.'),
  param: Type.Union([Type.String(), Type.Null()], {
    description: 'Field of the request that the model provider refused, else null.',
  }),
});

const AnthropicError = Type.Object({
  ...OpenAiError.properties,
  details: Type.Optional(
    Type.Object(
      { error_code: text('`thread_unsupported_request`: send the whole conversation without `thread`.') },
      { description: "The error for Anthropic's clients; only on the endpoints of Anthropic's API." },
    ),
  ),
});

export const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'One of the codes in docs/errors.md.', examples: ['SVC-AUTH-001'] }),
    detail: Type.String({
      description: 'The code, followed by a message for people.',
      examples: ['SVC-AUTH-001: missing or unknown key'],
    }),
    error: Type.Optional(
      Type.Object(AnthropicError.properties, {
        description:
          "The same error in the format of the client's API: Anthropic's on the endpoints of Anthropic's API; OpenAI's on the endpoints of OpenAI's API, for unknown paths and for every 401.",
      }),
    ),
    diagnostics: Type.Optional(
      Type.Array(ref(Diagnostic), { description: 'With SVC-CONF-001: the findings in the configuration file.' }),
    ),
    type: Type.Optional(Type.Literal('error', { description: "Only on the endpoints of Anthropic's API." })),
    request_id: Type.Optional(Type.String({ description: "Same as `x-request-id`. Only on the endpoints of Anthropic's API." })),
  },
  { $id: 'ErrorBody', description: 'Every error has this body.' },
);

export type ErrorBody = Static<typeof ErrorBody>;
