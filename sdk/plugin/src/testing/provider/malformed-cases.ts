import { type ChatRequest, isObject, isProviderError } from '@svc/contracts';
import * as assert from '../cases/assert.ts';
import type { ConformanceCase } from '../cases/conformance-case.ts';
import { callContext, readStream } from './calls.ts';
import type { WithProvider } from './options.ts';

const cache_control = { type: 'ephemeral', ttl: '5m' };

/** A request with a value in every place where the gateway accepts any value. */
const FIELDS = {
  temperature: 0.5,
  top_p: 0.5,
  top_k: 5,
  stop: ['END'],
  user: 'u',
  seed: 1,
  logit_bias: { '1': 1 },
  logprobs: true,
  top_logprobs: 1,
  presence_penalty: 0,
  frequency_penalty: 0,
  metadata: { k: 'v' },
  modalities: ['text'],
  verbosity: 'low',
  service_tier: 'auto',
  store: true,
  reasoning_effort: 'low',
  reasoning_summary: 'auto',
  thinking: { type: 'enabled', budget_tokens: 1024 },
  context_management: { edits: [] },
  output_config: { effort: 'low' },
  anthropic_version: '2023-06-01',
  anthropic_beta: ['b-2025-01-01'],
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'n', description: 'd', strict: true, schema: { type: 'object' } },
  },
  tools: [
    {
      type: 'function',
      cache_control,
      function: {
        name: 'f',
        description: 'd',
        strict: true,
        parameters: { type: 'object', properties: { x: { type: 'string' } } },
      },
    },
    { type: 'custom', custom: { name: 'c', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } } },
    { type: 'web_search_20250305', name: 'web_search' },
  ],
  tool_choice: { type: 'function', function: { name: 'f' } },
  parallel_tool_calls: false,
};

const CONTENT = [
  { type: 'text', text: 't', cache_control },
  { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'auto' } },
];
const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"x":1}' }, cache_control };
const THOUGHT = {
  reasoning_content: 'r',
  reasoning_details: [{ type: 'reasoning.encrypted', id: 'i', data: 'gAAA', format: 'openai-responses-v1' }],
  thinking_blocks: [{ type: 'thinking', thinking: 'because', signature: 'c2ln' }],
};
const MESSAGES = [
  { role: 'system', content: 's', name: 'n' },
  { role: 'user', content: CONTENT },
  { role: 'assistant', content: 'a', refusal: 'r', function_call: null, tool_calls: [CALL], ...THOUGHT },
  { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 't' }] },
  { role: 'user', content: 'u' },
];
/** Parts and calls that some providers do not support. Each is in a request of its own. */
const OTHERS = [
  { role: 'user', content: [{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERg==', filename: 'f.pdf' } }] },
  { role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }] },
  { role: 'assistant', content: [{ type: 'refusal', refusal: 'r' }] },
  { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'c', input: 'i' } }] },
];

/** Values of every type. The second object cannot be converted to a string. */
const VALUES: readonly unknown[] = [null, true, 7, '', 'x', [], [7], {}, { toString: 1, valueOf: 1 }];

/** Matches the paths that the gateway checks before it calls a provider: the form of a conversation, and which members are objects. */
const CHECKED = /^messages(\.\d+(\.(role|content|(content|tool_calls)\.\d+|tool_calls))?)?$/;

/** The paths of all members of a value, at any depth. */
function* pathsIn(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const inner = [...path, key];
    if (!CHECKED.test(inner.join('.'))) yield inner;
    yield* pathsIn(member, inner);
  }
}

/** A copy of `value` with another value, or no value, at one path. */
function replaced(value: unknown, [key = '', ...path]: readonly string[], by: unknown): unknown {
  if (Array.isArray(value)) return value.map((member, at) => (String(at) === key ? inside(member, path, by) : member));
  return isObject(value) ? { ...value, [key]: inside(value[key], path, by) } : value;
}

function inside(member: unknown, path: readonly string[], by: unknown): unknown {
  return path.length === 0 ? by : replaced(member, path, by);
}

/** Cases for requests with values of the wrong type. */
export function malformedCases(withProvider: WithProvider): ConformanceCase[] {
  return (['complete', 'stream'] as const).map((method) => ({
    name: `malformed: ${method} answers a request with a value of the wrong type, or rejects it as the caller's error`,
    run: withProvider(async (provider, { model }) => {
      const ask = async (request: ChatRequest): Promise<void> => {
        const { context } = callContext();
        if (method === 'complete') await provider.complete(request, context);
        else await readStream(provider, request, context);
      };
      const whole = { ...FIELDS, messages: MESSAGES };
      const few = OTHERS.map((message) => ({ messages: [...MESSAGES.slice(1, 2), message] }));
      for (const request of [whole, ...few])
        for (const path of pathsIn(request))
          await Promise.all(
            [undefined, ...VALUES].map(async (value) => {
              // Converted to JSON and back, as over HTTP: a member that is undefined becomes absent.
              const asked: unknown = JSON.parse(JSON.stringify({ model, ...(replaced(request, path, value) as object) }));
              await ask(asked as ChatRequest).catch((error: unknown) => {
                const came = isProviderError(error) ? `kind ${error.kind}` : assert.nameOf(error);
                const what = `an answer, or a ProviderError of kind invalid_request or unsupported, with ${JSON.stringify(value)} as ${path.join('.')}`;
                assert.ok(isProviderError(error) && ['invalid_request', 'unsupported'].includes(error.kind), what, came);
              });
            }),
          );
    }),
  }));
}
