import { Type } from 'typebox';
import { ContentPart, nullable, open, ref, routeName, stopEvent, text, unsupported } from './parts.ts';

const anyObject = Type.Record(Type.String(), Type.Unknown());

const conversation = {
  model: Type.String({ description: 'Name of the route.', examples: ['default'] }),
  messages: Type.Array(anyObject, { minItems: 1, description: 'The conversation so far. Messages may have the role `system`.' }),
  system: Type.Optional(
    nullable(Type.Union([Type.String(), Type.Array(ref(ContentPart))]), 'System message before the conversation.'),
  ),
  tools: Type.Optional(
    nullable(
      Type.Array(anyObject),
      "Tools with an `input_schema`. A vendor's own tools are removed, and listed in `x-svc-unsupported`, unless the route allows them in `vendor_tools`.",
    ),
  ),
};

export const MessagesRequest = Type.Object(
  {
    ...conversation,
    max_tokens: Type.Integer({ minimum: 1, description: 'Maximum tokens of an answer.' }),
    stream: Type.Optional(nullable(Type.Boolean(), 'Whether to send the answer as server-sent events.')),
  },
  { ...open, $id: 'MessagesRequest', description: "Anthropic's request for a message." },
);

export const CountTokensRequest = Type.Object(conversation, {
  ...open,
  $id: 'CountTokensRequest',
  description: "Anthropic's request to count tokens.",
});

export const TokenCount = Type.Object(
  {
    input_tokens: Type.Integer({
      description: "Counted with the gateway's own tokenizer, so it is only an estimate for most models.",
    }),
  },
  { $id: 'TokenCount', description: "A token count in Anthropic's format." },
);

const MessageUsage = Type.Object(
  {
    input_tokens: Type.Integer({ description: 'Tokens of the request that were neither read from a cache nor written to one.' }),
    cache_creation_input_tokens: Type.Integer({ description: 'Tokens of the request that were written to a cache.' }),
    cache_read_input_tokens: Type.Integer({ description: 'Tokens of the request that were read from a cache.' }),
    output_tokens: Type.Integer({ description: 'Tokens of the answer.' }),
  },
  { description: 'Token usage, reported by the provider or counted by the gateway.' },
);

export const Message = Type.Object(
  {
    id: text('`msg_` and the run id.'),
    type: Type.Literal('message', { description: 'Constant.' }),
    role: Type.Literal('assistant', { description: 'Constant.' }),
    model: routeName,
    content: Type.Array(anyObject, {
      description:
        'Blocks, such as `thinking`, `text` and `tool_use`. If the provider uses this API, they are as the model returned them.',
    }),
    stop_reason: nullable(
      Type.String(),
      'Why the answer ended; null until it ends. For a blocked, paused or denied run: `end_turn`, or `refusal` if the route or the request asks for it.',
    ),
    stop_sequence: nullable(
      Type.String(),
      'The stop sequence that ended the answer; null if none did, or if the provider uses another API.',
    ),
    stop_details: Type.Optional(
      nullable(
        Type.Object({
          type: Type.Literal('refusal', { description: 'Constant.' }),
          category: nullable(
            Type.String(),
            'Set by the model; null if the gateway stopped the answer or the provider uses another API.',
          ),
          explanation: nullable(Type.String(), 'The text of the refusal.'),
        }),
        'Details of a `refusal`, else null.',
      ),
    ),
    usage: MessageUsage,
    svc_event: Type.Optional(stopEvent),
    svc_run_id: Type.Optional(Type.String({ description: 'The run id.' })),
    svc_evidence: Type.Optional(Type.String({ description: '`<seq> <hash>` of the ledger record.' })),
    svc_unsupported: Type.Optional(unsupported),
  },
  { ...open, $id: 'Message', description: "Anthropic's message." },
);

export const MessageEvent = Type.Object(
  {
    type: text("Anthropic's event type. The last event is `message_stop` or `error`."),
    message: Type.Optional(ref(Message)),
    svc_run_id: Type.Optional(Type.String({ description: 'The run id, in `message_delta` and `error`.' })),
    svc_evidence: Type.Optional(Type.String({ description: '`<seq> <hash>` of the ledger record, in `message_delta`.' })),
  },
  { ...open, $id: 'MessageEvent', description: 'An event of a streamed message.' },
);
