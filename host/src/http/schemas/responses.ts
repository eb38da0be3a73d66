import { Type } from 'typebox';
import { ContentPart, created, nullable, open, ref, routeName, stopEvent, text } from './parts.ts';

export const ResponsesRequest = Type.Object(
  {
    model: Type.String({ description: 'Name of the route.', examples: ['default'] }),
    input: Type.Union([Type.String(), Type.Array(ref(ContentPart), { minItems: 1 })], {
      description: 'Text, or items: messages, encrypted reasoning, calls of functions and custom tools, and their outputs.',
    }),
    instructions: Type.Optional(nullable(Type.String(), 'System message before the input.')),
    stream: Type.Optional(nullable(Type.Boolean(), 'Whether to send the answer as server-sent events.')),
    tools: Type.Optional(
      nullable(
        Type.Array(Type.Record(Type.String(), Type.Unknown())),
        "Functions, custom tools, and namespaces of both. A vendor's own tools are removed, and listed in `x-svc-unsupported`, unless the route allows them in `vendor_tools`.",
      ),
    ),
    max_output_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }), 'Maximum tokens of an answer.')),
    include: Type.Optional(
      nullable(
        Type.Array(Type.String()),
        '`reasoning.encrypted_content`: reasoning for the next turn. Other values are left out if the provider uses another API.',
      ),
    ),
    previous_response_id: Type.Optional(
      nullable(
        Type.String(),
        "Id of one of the caller's earlier responses on this route. Its input and output precede `input`; its `instructions` do not apply. Requires `server.record_content`. Responses created with `store: false` cannot be continued.",
      ),
    ),
    store: Type.Optional(
      nullable(
        Type.Boolean(),
        'Whether a later request may continue the response. Default: true. Also sent to the provider if it uses this API.',
      ),
    ),
  },
  { ...open, $id: 'ResponsesRequest', description: "OpenAI's request for a response." },
);

const ResponsesUsage = Type.Object(
  {
    input_tokens: Type.Integer({ description: 'Tokens of the request.' }),
    output_tokens: Type.Integer({ description: 'Tokens of the answer.' }),
    total_tokens: Type.Integer({ description: 'Sum of both.' }),
  },
  { ...open, description: 'Token usage, reported by the provider or counted by the gateway.' },
);

/** Not named `Response`, which means an HTTP response in the API's clients. */
export const ModelResponse = Type.Object(
  {
    id: text('`resp_` and the run id.'),
    object: Type.Literal('response', { description: 'Constant.' }),
    created_at: created,
    status: Type.Enum(['completed', 'incomplete', 'failed', 'in_progress'], {
      description: '`incomplete` if the answer was cut off. A run that was blocked, paused or denied is `completed`.',
    }),
    incomplete_details: nullable(
      Type.Object({ reason: Type.Enum(['content_filter', 'max_output_tokens'], { description: 'The reason.' }) }),
      'Why a response is incomplete.',
    ),
    error: nullable(
      Type.Object({ code: text("OpenAI's name for the kind of error."), message: text('The code and a message for people.') }),
      'Why a stream failed.',
    ),
    model: routeName,
    output: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: "Items: `message`, `reasoning`, `function_call`, `custom_tool_call`, and calls of a vendor's tools.",
    }),
    usage: nullable(ResponsesUsage, 'Null until the answer ends.'),
    svc_event: Type.Optional(stopEvent),
    svc_run_id: Type.Optional(Type.String({ description: 'The run id, once the response has ended.' })),
    svc_evidence: Type.Optional(Type.String({ description: '`<seq> <hash>` of the ledger record.' })),
  },
  {
    ...open,
    $id: 'ModelResponse',
    description: "OpenAI's response. Includes the settings of its request, unless they are too long.",
  },
);

export const DeletedResponse = Type.Object(
  {
    id: text('The id of the response.'),
    object: Type.Literal('response', { description: 'Constant.' }),
    deleted: Type.Boolean({ description: 'Always true.' }),
  },
  { $id: 'DeletedResponse', description: 'A response whose content was erased.' },
);

export const ResponsesEvent = Type.Object(
  {
    type: text("OpenAI's event type. The last event is `response.completed`, `.incomplete` or `.failed`."),
    sequence_number: Type.Integer({ description: 'Number of the event, from 0.' }),
    response: Type.Optional(ref(ModelResponse)),
  },
  { ...open, $id: 'ResponsesEvent', description: 'An event of a streamed response.' },
);
