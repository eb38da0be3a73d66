import type { ChatCompletion as Completion, ChatMessage as Message } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { OpenAiError } from './errors.ts';
import { ContentPart, created, leftOut, nullable, open, ref, retryAt, routeName, stopEvent, text, unsupported } from './parts.ts';

const ChatUsage = Type.Object(
  {
    prompt_tokens: Type.Integer({ description: 'Tokens of the request.' }),
    completion_tokens: Type.Integer({ description: 'Tokens of the answer.' }),
    total_tokens: Type.Integer({ description: 'Sum of both.' }),
  },
  { ...open, description: 'Token usage, reported by the provider or counted by the gateway.' },
);

const finishReason = nullable(
  Type.String(),
  'Why the answer ended. `content_filter`: the run was blocked, paused or denied. Null: more frames follow.',
);

export const ChatMessage = Type.Unsafe<Message>(
  Type.Object(
    {
      role: Type.String({ description: 'system, developer, user, assistant or tool.', examples: ['user'] }),
      content: Type.Optional(
        Type.Union([Type.String(), Type.Array(ref(ContentPart)), Type.Null()], {
          description: 'Text, content parts, or null with tool calls.',
          examples: ['Hello'],
        }),
      ),
      tool_calls: Type.Optional(
        nullable(Type.Array(Type.Record(Type.String(), Type.Unknown())), 'Tool calls of the model; null: none.'),
      ),
    },
    { ...open, $id: 'ChatMessage', description: "A message in OpenAI's format; other fields are passed through." },
  ),
);

export const ChatRequest = Type.Object(
  {
    model: Type.String({ description: 'Name of the route.', examples: ['default'] }),
    messages: Type.Array(ref(ChatMessage), { minItems: 1, description: 'The conversation so far.' }),
    stream: Type.Optional(nullable(Type.Boolean(), 'Whether to send the answer as server-sent events.')),
    n: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 128 }), 'Number of answers.')),
    max_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }), 'Older name of `max_completion_tokens`.')),
    max_completion_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }), 'Maximum tokens of an answer.')),
    stream_options: Type.Optional(
      nullable(
        Type.Object(
          { include_usage: Type.Optional(nullable(Type.Boolean(), 'Whether to send `usage` in the frame before the last one.')) },
          open,
        ),
        'Options of the stream; only with `stream`.',
      ),
    ),
  },
  { ...open, $id: 'ChatRequest', description: "OpenAI's chat request; every parameter is accepted and passed through." },
);

const prompt = Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1, maxItems: 1 })], {
  description: 'The text to complete, as one string. Lists of texts and token ids are refused.',
  examples: ['Once upon a time'],
});

export const CompletionRequest = Type.Object(
  {
    model: Type.String({ description: 'Name of the route.', examples: ['default'] }),
    prompt,
    stream: Type.Optional(nullable(Type.Boolean(), 'Whether to send the answer as server-sent events.')),
    n: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 128 }), 'Number of answers.')),
    max_tokens: Type.Optional(nullable(Type.Integer({ minimum: 1 }), 'Maximum tokens of an answer.')),
    suffix: Type.Optional(nullable(Type.String({ maxLength: 0 }), 'Not supported.')),
  },
  {
    ...open,
    $id: 'CompletionRequest',
    description:
      "A request of OpenAI's older completions API, converted to a chat with one message. `echo`, `best_of` and `logprobs` are not sent and are listed in `x-svc-unsupported`; other parameters are passed through.",
  },
);

const completionChoice = Type.Object(
  {
    index: Type.Integer({ description: 'Index of the answer, from 0.' }),
    text: Type.String({ description: 'The text, or its next piece.' }),
    logprobs: Type.Union([Type.Object({}), Type.Null()], { description: 'Always null.' }),
    finish_reason: finishReason,
  },
  open,
);

export const TextCompletion = Type.Object(
  {
    id: text('Identifier of the answer, the same in every frame.'),
    object: Type.Literal('text_completion', { description: 'Constant.' }),
    created,
    model: routeName,
    choices: Type.Array(completionChoice, { description: 'The answers, or their parts.' }),
    usage: Type.Optional(nullable(ChatUsage, 'In a stream: in the frame before the last one, if `include_usage` is true.')),
    svc_left_out: Type.Optional(leftOut),
    svc_unsupported: Type.Optional(unsupported),
    svc_run_id: Type.Optional(
      Type.String({ description: 'The run id, in the last frame, or if the run was blocked, paused or denied.' }),
    ),
    svc_event: Type.Optional(stopEvent),
    svc_retry_at: Type.Optional(retryAt),
    svc_evidence: Type.Optional(Type.String({ description: '`<seq> <hash>` of the ledger record, in the last frame.' })),
  },
  {
    ...open,
    $id: 'TextCompletion',
    description: "A response of OpenAI's older completions API: the whole response, or one frame of a stream.",
  },
);

export const ChatInputRequest = Type.Object(
  {
    model: Type.String({ description: 'Name of the route.' }),
    input: Type.Unknown({ description: 'Text or items, instead of `messages`.' }),
    messages: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 0, description: 'Must be absent or empty.' })),
  },
  {
    ...open,
    $id: 'ChatInputRequest',
    description:
      'A request in the format of the Responses API, as Cursor sends it here. It is converted, and answered in the chat format.',
  },
);

export const ChatCompletion = Type.Unsafe<Completion>(
  Type.Object(
    {
      id: text('Identifier of the answer.'),
      object: Type.Literal('chat.completion', { description: 'Constant.' }),
      created,
      model: routeName,
      choices: Type.Array(
        Type.Object(
          {
            index: Type.Integer({ description: 'Index of the answer, from 0.' }),
            message: ref(ChatMessage),
            finish_reason: finishReason,
          },
          open,
        ),
        { description: 'The answers.' },
      ),
      usage: Type.Optional(ChatUsage),
      svc_left_out: Type.Optional(leftOut),
      svc_run_id: Type.Optional(Type.String({ description: 'The run id, if the run was blocked, paused or denied.' })),
      svc_event: Type.Optional(
        Type.Enum(['blocked', 'paused', 'denied'], { description: 'How the run was stopped. Absent if it was not.' }),
      ),
      svc_retry_at: Type.Optional(retryAt),
    },
    { ...open, $id: 'ChatCompletion', description: "OpenAI's chat completion." },
  ),
);

export const ChatCompletionChunk = Type.Object(
  {
    id: text('Identifier of the answer, the same in every frame.'),
    object: Type.Literal('chat.completion.chunk', { description: 'Constant.' }),
    created,
    model: routeName,
    choices: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: 'Index of the answer, from 0.' }),
          delta: Type.Object(
            {
              role: Type.Optional(text('`assistant`, in the first frame of an answer.')),
              content: Type.Optional(nullable(Type.String(), 'The next piece of text.')),
            },
            { ...open, description: 'The part of the message in this frame.' },
          ),
          finish_reason: finishReason,
        },
        open,
      ),
      { description: 'Parts of the answers; empty in the frame with `usage`.' },
    ),
    svc_event: Type.Optional(stopEvent),
    usage: Type.Optional(nullable(ChatUsage, 'In the frame before the last one, if `include_usage` is true.')),
    svc_left_out: Type.Optional(leftOut),
    svc_unsupported: Type.Optional(unsupported),
    svc_run_id: Type.Optional(Type.String({ description: 'The run id, in the last frame.' })),
    svc_retry_at: Type.Optional(retryAt),
    svc_evidence: Type.Optional(Type.String({ description: '`<seq> <hash>` of the ledger record, in the last frame.' })),
  },
  { ...open, $id: 'ChatCompletionChunk', description: 'A frame of a streamed answer; the last line is `data: [DONE]`.' },
);

export const ChatErrorFrame = Type.Object(
  {
    id: text('Identifier of the answer, the same in every frame.'),
    object: Type.Enum(['chat.completion.chunk', 'text_completion'], { description: 'The same as in the other frames.' }),
    created,
    model: routeName,
    error: Type.Object(OpenAiError.properties, { description: "The error in OpenAI's format." }),
    svc_run_id: Type.String({ description: 'The run id.' }),
    svc_evidence: Type.Optional(Type.String({ description: '`<seq> <hash>` of the ledger record.' })),
  },
  {
    ...open,
    $id: 'ChatErrorFrame',
    description: 'The last frame of a failed stream. It has no `choices`, so that clients do not treat it as part of the answer.',
  },
);
export type ChatErrorFrame = Static<typeof ChatErrorFrame>;
