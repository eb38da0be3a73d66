import { refusalDetails, reportedError } from '@svc/protocols';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusalError } from './refusal.ts';

const openai = (message: string, fields: object = {}) => ({ error: { message, type: 'invalid_request_error', ...fields } });
const length = (tokens: number | null, limit: number | null, output: number | null = null) => ({ tokens, output, limit });

/** Bodies of refusals as vendors and servers send them. */
const TOO_LONG: [string, number, unknown, ReturnType<typeof length>][] = [
  [
    'Anthropic',
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 210118 tokens > 200000 maximum' } },
    length(210118, 200000),
  ],
  [
    'Anthropic, with the output',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again',
      },
    },
    length(190000, 200000, 20000),
  ],
  [
    'OpenAI',
    400,
    openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
      { code: 'context_length_exceeded', param: 'messages' },
    ),
    length(130000, 128000),
  ],
  [
    'OpenAI, with functions',
    400,
    openai(
      "This model's maximum context length is 16385 tokens. However, your messages resulted in 17000 tokens (16000 in the messages, 1000 in the functions). Please reduce the length of the messages or functions.",
    ),
    length(17000, 16385),
  ],
  [
    'OpenAI, completions',
    400,
    openai(
      "This model's maximum context length is 4097 tokens, however you requested 4927 tokens (3927 in your prompt; 1000 for the completion). Please reduce your prompt; or completion length.",
    ),
    length(3927, 4097, 1000),
  ],
  [
    'OpenAI, Responses',
    400,
    openai('Your input exceeds the context window of this model. Please adjust your input and try again.', {
      code: 'context_length_exceeded',
      param: 'input',
    }),
    length(null, null),
  ],
  [
    'OpenAI, a configured limit',
    400,
    openai(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens. Please reduce the length of the messages.',
      { code: 'context_length_exceeded' },
    ),
    length(300000, 272000),
  ],
  [
    'DeepSeek',
    400,
    openai(
      "This model's maximum context length is 65536 tokens. However, you requested 66000 tokens (58000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
    ),
    length(58000, 65536, 8000),
  ],
  [
    'OpenRouter',
    400,
    {
      error: {
        code: 400,
        message:
          "This endpoint's maximum context length is 200000 tokens. However, you requested about 250100 tokens (240000 of text input, 100 of tool input, 10000 in the output). Please reduce the length of either one.",
      },
    },
    length(240100, 200000, 10000),
  ],
  [
    'OpenRouter, of a vendor',
    400,
    {
      error: {
        code: 400,
        message: 'Provider returned error',
        metadata: {
          raw: '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210118 tokens > 200000 maximum"}}',
        },
      },
    },
    length(210118, 200000),
  ],
  [
    'vLLM',
    400,
    {
      object: 'error',
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5096 tokens (4596 in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    length(4596, 4096, 500),
  ],
  [
    'vLLM, later',
    400,
    {
      error: {
        message:
          "This model's maximum context length is 8192 tokens. However, your request has 9000 input tokens. Please reduce the length of the input messages.",
        type: 'BadRequestError',
        code: 400,
      },
    },
    length(9000, 8192),
  ],
  [
    'vLLM, of the output',
    400,
    {
      error: {
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 10000. This model's maximum context length is 8192 tokens and your request has 500 input tokens (10000 > 8192 - 500).",
        type: 'BadRequestError',
      },
    },
    length(500, 8192, 10000),
  ],
  [
    'vLLM, of both',
    400,
    {
      error: {
        message:
          "You passed 9000 input tokens and requested 100 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8092 tokens. Please reduce the length of the input prompt.",
      },
    },
    length(9000, 8192, 100),
  ],
  [
    'vLLM, of a decoder',
    400,
    { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that it is not.' },
    length(9000, 8192),
  ],
  [
    'SGLang',
    400,
    { object: 'error', message: "The input (37035 tokens) is longer than the model's context length (32768 tokens)." },
    length(37035, 32768),
  ],
  [
    'SGLang, with the output',
    400,
    {
      message:
        "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 30000 tokens from the input messages and 10000 tokens for the completion.",
    },
    length(30000, 32768, 10000),
  ],
  [
    'llama.cpp',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      },
    },
    length(9000, 4096),
  ],
  [
    'llama.cpp, later',
    400,
    { error: { message: 'request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it' } },
    length(9000, 4096),
  ],
  [
    'llama.cpp, as a failure',
    500,
    { error: { code: 500, message: 'the request exceeds the available context size', type: 'server_error' } },
    length(null, null),
  ],
  [
    'litellm',
    400,
    {
      error: {
        message:
          "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: OpenAIException - This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.. Received Model Group=gpt",
        type: null,
        param: null,
        code: '400',
      },
    },
    length(130000, 128000),
  ],
  [
    'litellm, in other words',
    400,
    { error: { message: 'litellm.ContextWindowExceededError: too much of it', code: '400' } },
    length(null, null),
  ],
  [
    'Gemini',
    400,
    [
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    length(1200000, 1048576),
  ],
  [
    'Gemini, of the limit',
    400,
    {
      error: {
        message: 'The input token count exceeds the maximum number of tokens allowed 1048576.',
        status: 'INVALID_ARGUMENT',
      },
    },
    length(null, 1048576),
  ],
  ['Bedrock', 400, { message: 'Input is too long for requested model.' }, length(null, null)],
  [
    'Bedrock, its own models',
    400,
    { message: '400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9000 ' },
    length(9000, 8192),
  ],
  [
    'Mistral',
    400,
    {
      object: 'error',
      message: 'Prompt contains 33000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_error',
      code: '3051',
    },
    length(33000, 32768),
  ],
  [
    'Groq',
    400,
    openai('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded', param: 'messages' }),
    length(null, null),
  ],
  [
    'Cerebras',
    400,
    openai('Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192'),
    length(9000, 8192),
  ],
  ['Ollama', 400, { error: 'the input length exceeds the context length' }, length(null, null)],
  [
    'xAI',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    length(537812, 131072),
  ],
  [
    'Cohere',
    400,
    {
      message:
        'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt.',
    },
    length(4292, 4081),
  ],
  [
    'Text Generation Inference',
    422,
    {
      error:
        'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 1000 `max_new_tokens`',
      error_type: 'validation',
    },
    length(4000, 4096, 1000),
  ],
  ['Fireworks', 400, openai('The prompt is too long: 140000, model maximum context length: 131071'), length(140000, 131071)],
  [
    'GitHub',
    413,
    { error: { code: 'tokens_limit_reached', message: 'Request body too large for gpt-4o model. Max size: 8000 tokens.' } },
    length(null, null),
  ],
  [
    'Copilot',
    400,
    openai('prompt token count of 130,000 exceeds the limit of 128,000', { code: 'model_max_prompt_tokens_exceeded' }),
    length(130000, 128000),
  ],
  [
    'Moonshot',
    400,
    openai('Invalid request: Your request exceeded model token limit: 131072 (requested: 150000)'),
    length(150000, 131072),
  ],
  ['a server without JSON', 400, 'prompt is too long: 5 tokens > 4 maximum', length(5, 4)],
];

describe('a context window that was exceeded', () => {
  it.each(TOO_LONG)('%s', (_who, status, body, context_length) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const told = { kind: 'invalid_request', code: 'context_length_exceeded', context_length };
    expect(refusalError(status, text, {})).toMatchObject({ ...told, status });
    // As an event of an answer that began well.
    expect(reportedError(body as never)).toMatchObject({ ...told, cost: 'unknown' });
  });

  it.each<[string, number, unknown]>([
    ['too much output', 400, openai('max_tokens is too large: 100000. This model supports at most 16384 completion tokens')],
    [
      "Anthropic's output",
      400,
      openai('max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude'),
    ],
    [
      'tokens a minute',
      429,
      openai('Request too large for gpt-4 on tokens per min (TPM): Limit 10000, Requested 12000.', {
        code: 'rate_limit_exceeded',
      }),
    ],
    ['a body', 413, { type: 'error', error: { type: 'request_too_large', message: 'Request exceeds the maximum size' } }],
    ['what a caller wrote', 422, { detail: [{ msg: 'Field required', input: 'prompt is too long: 5 tokens > 4 maximum' }] }],
    ['a key', 401, openai('prompt is too long: 5 tokens > 4 maximum')],
  ])('is not said by a refusal of %s', (_what, status, body) => {
    const failure = refusalError(status, JSON.stringify(body), {});
    expect(failure.code).not.toBe('context_length_exceeded');
    expect(failure.context_length).toBeUndefined();
  });

  it('is looked for in linear time', () => {
    const hostile = [
      'prompt is too long: ',
      'maximum context length is 1 tokens ',
      '1,'.repeat(7),
      'input (1 tokens) ',
      'model ',
      'a.',
      'Error ',
      'Error code: 400 - ',
      'invalid request: ',
      "model `x` not 'inputs' it's ",
      'no ',
      '{"error": ',
      '400 {',
    ];
    for (const words of hostile) {
      const text = JSON.stringify({ error: { message: words.repeat(65_536 / words.length) } });
      const begun = process.cpuUsage();
      refusalDetails(text, 400);
      const { user, system } = process.cpuUsage(begun);
      expect(user + system).toBeLessThan(500_000);
    }
  });
});

describe('what else a refusal means', () => {
  it.each<[string, number, unknown, string, string]>([
    [
      'OpenAI',
      429,
      openai('x', { type: 'insufficient_quota', code: 'insufficient_quota' }),
      'rate_limited',
      'insufficient_quota',
    ],
    [
      'Anthropic',
      400,
      openai('Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.'),
      'configuration',
      'insufficient_quota',
    ],
    ['Anthropic, later', 402, { error: { type: 'billing_error', message: 'x' } }, 'configuration', 'billing_error'],
    ['DeepSeek', 402, openai('Insufficient Balance'), 'configuration', 'insufficient_quota'],
    ['no JSON', 402, 'pay', 'configuration', 'insufficient_quota'],
    [
      'xAI',
      403,
      { error: 'Your team has used all available credits or reached its monthly spending limit.' },
      'configuration',
      'insufficient_quota',
    ],
    [
      'OpenAI',
      404,
      openai('The model `gpt-9` does not exist or you do not have access to it.', { code: 'model_not_found' }),
      'configuration',
      'model_not_found',
    ],
    ['Anthropic', 404, { error: { type: 'not_found_error', message: 'model: claude-9' } }, 'configuration', 'model_not_found'],
    [
      'vLLM',
      404,
      { message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 },
      'configuration',
      'model_not_found',
    ],
    ['Ollama', 404, { error: 'model "x" not found, try pulling it first' }, 'configuration', 'model_not_found'],
    [
      'Gemini',
      404,
      { error: { code: 404, message: 'models/x is not found for API version v1beta', status: 'NOT_FOUND' } },
      'configuration',
      'model_not_found',
    ],
    ['Bedrock', 400, { message: 'The provided model identifier is invalid.' }, 'configuration', 'model_not_found'],
    ['Mistral', 400, { message: 'Invalid model: x', type: 'invalid_model', code: '1500' }, 'configuration', 'model_not_found'],
    ['Azure', 404, { error: { code: 'DeploymentNotFound', message: 'x' } }, 'configuration', 'model_not_found'],
    ['Azure', 400, { error: { code: 'content_filter', message: 'x', param: 'prompt' } }, 'invalid_request', 'content_filter'],
    ['OpenAI', 400, openai('x', { code: 'content_policy_violation' }), 'invalid_request', 'content_policy_violation'],
    ['Anthropic', 400, openai('Output blocked by content filtering policy'), 'invalid_request', 'content_policy_violation'],
    [
      'OpenRouter',
      403,
      { error: { code: 403, message: 'x requires moderation' } },
      'invalid_request',
      'content_policy_violation',
    ],
    ['Anthropic', 529, { error: { type: 'overloaded_error', message: 'Overloaded' } }, 'unavailable', 'overloaded_error'],
    ['no JSON', 529, '', 'unavailable', 'server_is_overloaded'],
    [
      'OpenAI',
      503,
      openai('x', { type: 'service_unavailable_error', code: 'server_is_overloaded' }),
      'unavailable',
      'server_is_overloaded',
    ],
    [
      'Gemini',
      503,
      { error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' } },
      'unavailable',
      'server_is_overloaded',
    ],
  ])('%s with %i', (_who, status, body, kind, code) => {
    expect(refusalError(status, typeof body === 'string' ? body : JSON.stringify(body), {})).toMatchObject({
      status,
      kind,
      code,
    });
  });

  it.each<[number, string, string]>([
    [404, '<html>not found</html>', 'configuration'],
    [400, JSON.stringify(openai('Unknown parameter: x.')), 'invalid_request'],
    [400, JSON.stringify(openai('No tool output found for the function call of the model')), 'invalid_request'],
    [503, 'upstream connect error', 'unavailable'],
    [401, JSON.stringify(openai('Incorrect API key provided')), 'configuration'],
  ])('is nothing that %i with %s says', (status, text, kind) => {
    expect(refusalError(status, text, {})).toMatchObject({ status, kind });
    expect(refusalDetails(text, status).code).toBeOneOf([undefined, 'invalid_request_error']);
  });
});

/** Sentences that would be recognised if an upstream said them. */
const SENTENCES = [
  'my card was declined: insufficient funds',
  'what is your usage policy?',
  'this violates our usage policies',
  'prompt is too long: 5 tokens > 3',
  'the input length exceeds the context length',
  "This model's maximum context length is 4 tokens. However, your messages resulted in 5 tokens.",
  'litellm.ContextWindowExceededError: x',
  'The model x does not exist',
  'The model is overloaded',
  '{"error":{"code":"context_length_exceeded"}}',
];

describe('what a caller wrote', () => {
  it.each<[string, number, unknown]>([
    [
      'of a card',
      400,
      {
        object: 'error',
        type: 'BadRequestError',
        code: 400,
        message:
          "1 validation error for ChatCompletionRequest: messages.0.content [type=list_type, input_value='my card was declined: insufficient funds', input_type=str]",
      },
    ],
    ['of a policy', 400, openai('Invalid value: "what is your usage policy?". Supported values are: \'a\'.')],
    ['without quotation marks', 400, openai('Invalid content: my card was declined: insufficient funds')],
    ['beside a code', 400, openai("Invalid value: 'prompt is too long: 5 tokens > 3'.", { code: 'invalid_value' })],
    ['at the beginning, beside a code', 400, openai('prompt is too long: 5 tokens > 3 is none', { code: 'invalid_value' })],
    ['of an output', 400, openai('max_tokens: 100000 exceeds the model limit of 8192 output tokens')],
  ])('%s means nothing', (_what, status, body) => {
    const failure = refusalError(status, JSON.stringify(body), {});
    expect(failure.kind).toBe('invalid_request');
    expect(failure.code).toBeOneOf([undefined, 'invalid_request_error', 'invalid_value']);
    expect(failure.context_length).toBeUndefined();
  });

  it.each([
    'upstream timeout; request was: prompt is too long: 1 tokens > 0',
    'upstream timeout; request was prompt is too long: 1 tokens > 0',
    'prompt is too long',
  ])('does not make a request wrong where an upstream failed: %s', (message) => {
    for (const text of [message, JSON.stringify({ error: { message } })]) {
      const failure = refusalError(503, text, {});
      expect(failure).toMatchObject({ kind: 'unavailable', status: 503 });
      expect(failure.code).toBeUndefined();
    }
  });

  it('changes nothing in a quotation or behind what repeats it', () => {
    const frames: ((text: string) => string)[] = [
      ...["''", '""', '``', '“”'].map(
        ([open, close]) =>
          (text: string) =>
            `Invalid value ${open}${text}${close} of a message`,
      ),
      (text) => `'${text}' is not valid`,
      (text) => `Invalid message, input: ${text}`,
      (text) => `Validation failed for input=${text}`,
      (text) => `The request failed; request was: ${text}`,
      (text) => `Field required [type=missing, input_value={'content': '${text}'}, input_type=dict]`,
    ];
    const text = fc.array(fc.oneof(fc.constantFrom(...SENTENCES), fc.string({ maxLength: 12 })), { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.constantFrom(...frames),
        text.map((parts) => parts.join(' ')),
        fc.constantFrom(400, 402, 403, 404, 413, 422, 429, 500, 503),
        fc.constantFrom({}, { code: 'invalid_value' }, { type: 'BadRequestError', code: 400 }),
        (frame, words, status, fields) => {
          const of = (quoted: string) => {
            const { kind, code, context_length } = refusalError(status, JSON.stringify(openai(frame(quoted), fields)), {});
            return { kind, code, context_length };
          };
          expect(of(words)).toEqual(of('x'));
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a context window that was exceeded, of an upstream that failed', () => {
  it.each<[string, object, ReturnType<typeof length>]>([
    ['a type', { type: 'exceed_context_size_error', message: 'x' }, length(null, null)],
    ['fields', { message: 'x', n_prompt_tokens: 9000, n_ctx: 4096 }, length(9000, 4096)],
    ['the class of a wrapper', { message: 'litellm.ContextWindowExceededError: x', type: null, code: '500' }, length(null, null)],
  ])('is the fault of the request where %s says it', (_what, error, context_length) => {
    const told = { kind: 'invalid_request', code: 'context_length_exceeded', context_length, status: 500 };
    expect(refusalError(500, JSON.stringify({ error }), {})).toMatchObject(told);
  });

  it('may be another endpoint\u2019s to answer where only a sentence with numbers says it', () => {
    const told = { kind: 'unavailable', code: 'context_length_exceeded', context_length: length(5, 4) };
    expect(refusalError(503, JSON.stringify(openai('prompt is too long: 5 tokens > 4 maximum')), {})).toMatchObject(told);
  });
});

describe('an error that was wrapped as text', () => {
  const anthropic = {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 5 tokens > 4 maximum' },
  };
  const json = JSON.stringify(anthropic);
  const python =
    "{'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'prompt is too long: 5 tokens > 4 maximum'}}";
  it.each([
    `litellm.BadRequestError: AnthropicException - ${json}`,
    `litellm.BadRequestError: AnthropicException - ${json}. Received Model Group=a\nAvailable Model Group Fallbacks=None`,
    `litellm.BadRequestError: AnthropicException - b'${json}'`,
    `litellm.BadRequestError: AnthropicException - Error code: 400 - ${python}`,
    `litellm.BadRequestError: VertexAIException BadRequestError - ${json}`,
    'litellm.BadRequestError: AnthropicException - prompt is too long: 5 tokens > 4 maximum',
    `400 ${json}`,
    `Error code: 400 - ${python}`,
    'An error occurred (ValidationException) when calling the Converse operation: prompt is too long: 5 tokens > 4 maximum',
    `The model returned the following errors: ${json}`,
    'Error from provider (Anthropic): prompt is too long: 5 tokens > 4 maximum',
    'Upstream request failed: prompt is too long: 5 tokens > 4 maximum',
    json.slice(0, -2),
  ])('is read: %s', (message) => {
    const told = { kind: 'invalid_request', code: 'context_length_exceeded', context_length: length(5, 4) };
    expect(refusalError(400, JSON.stringify({ error: { message } }), {})).toMatchObject(told);
  });
});
