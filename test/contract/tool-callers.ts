import type { AnswerFrame, JsonObject, Protocol } from '@svc/contracts';
import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import { anthropic, type Behaviour, gemini, responses } from '@svc/sdk/testing';
import { GEMINI } from '../../plugins/protocol-gemini/src/protocol.ts';
import { answer, completionOf } from '../fixtures/upstream.ts';

/** A call of a model, or of an earlier turn. */
export interface Called {
  readonly name: string;
  readonly input: JsonObject;
}

/** A loop of tools as the caller and the upstream of a protocol speak it. */
export interface ToolCaller {
  readonly name: string;
  readonly protocol: Protocol;
  readonly provider: JsonObject;
  path(model: string, stream: boolean): string;
  /** A request that offers these tools. `results`: of calls that came before. */
  request(
    offered: readonly string[],
    description: string,
    results?: readonly (Called & { readonly result: string })[],
  ): JsonObject;
  choice(name: string): JsonObject;
  /** An upstream that says a text and calls these tools. */
  answer(calls: readonly Called[]): Behaviour;
}

const SCHEMA = { type: 'object', properties: { to: { type: 'string' } } };
const idOf = (at: number): string => `call_${at}`;

const chat: ToolCaller = {
  name: 'chat',
  protocol: CHAT,
  provider: { type: 'openai' },
  path: () => '/v1/chat/completions',
  request: (offered, description, results = []) => ({
    messages: [
      { role: 'user', content: 'Go.' },
      ...results.flatMap(({ name, input, result }, at) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: idOf(at), type: 'function', function: { name, arguments: JSON.stringify(input) } }],
        },
        { role: 'tool', tool_call_id: idOf(at), content: result },
      ]),
    ],
    tools: offered.map((name) => ({ type: 'function', function: { name, description, parameters: SCHEMA } })),
  }),
  choice: (name) => ({ tool_choice: { type: 'function', function: { name } } }),
  answer: (calls) => {
    const tool_calls = calls.map(({ name, input }, at) => ({
      id: idOf(at),
      type: 'function' as const,
      function: { name, arguments: JSON.stringify(input) },
    }));
    const message = { role: 'assistant' as const, content: 'Sure.', tool_calls };
    return answer({ ...completionOf({}, ''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
  },
};

const messages: ToolCaller = {
  name: 'messages',
  protocol: MESSAGES,
  provider: { type: 'anthropic', api_key: 'k' },
  path: () => '/v1/messages',
  request: (offered, description, results = []) => ({
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Go.' },
      ...results.flatMap(({ name, input, result }, at) => [
        { role: 'assistant', content: [{ type: 'tool_use', id: idOf(at), name, input }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: idOf(at), content: [{ type: 'text', text: result }] }],
        },
      ]),
    ],
    tools: offered.map((name) => ({ name, description, input_schema: SCHEMA })),
  }),
  choice: (name) => ({ tool_choice: { type: 'tool', name } }),
  answer: (calls) =>
    anthropic.answer({
      content: [
        { type: 'text', text: 'Sure.' },
        ...calls.map(({ name, input }, at) => ({ type: 'tool_use', id: idOf(at), name, input })),
      ],
      stop_reason: 'tool_use',
    }),
};

const items: ToolCaller = {
  name: 'responses',
  protocol: RESPONSES,
  provider: { type: 'openai', api: 'responses' },
  path: () => '/v1/responses',
  request: (offered, description, results = []) => ({
    input: [
      { type: 'message', role: 'user', content: 'Go.' },
      ...results.flatMap(({ name, input, result }, at) => [
        { type: 'function_call', call_id: idOf(at), name, arguments: JSON.stringify(input) },
        { type: 'function_call_output', call_id: idOf(at), output: result },
      ]),
    ],
    tools: offered.map((name) => ({ type: 'function', name, description, parameters: SCHEMA, strict: false })),
  }),
  choice: (name) => ({ tool_choice: { type: 'function', name } }),
  answer: (calls) =>
    responses.answer({
      output: [
        {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Sure.', annotations: [], logprobs: [] }],
        },
        ...calls.map(({ name, input }, at) => ({
          id: `fc_${at}`,
          type: 'function_call',
          call_id: idOf(at),
          name,
          arguments: JSON.stringify(input),
          status: 'completed',
        })),
      ],
    }),
};

const google: ToolCaller = {
  name: 'gemini',
  protocol: GEMINI,
  provider: { type: 'gemini', api_key: 'k' },
  path: (model, stream) => `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  request: (offered, description, results = []) => ({
    contents: [
      { role: 'user', parts: [{ text: 'Go.' }] },
      ...results.flatMap(({ name, input, result }) => [
        { role: 'model', parts: [{ functionCall: { name, args: input } }] },
        { role: 'user', parts: [{ functionResponse: { name, response: { output: result } } }] },
      ]),
    ],
    tools: [{ functionDeclarations: offered.map((name) => ({ name, description, parametersJsonSchema: SCHEMA })) }],
  }),
  choice: (name) => ({ toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } } }),
  answer: (calls) =>
    gemini.answer([{ text: 'Sure.' }, ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } }))]),
};

/** The calls that a caller gets, as its client puts them together. */
export function callsReceived({ protocol }: ToolCaller, text: string, stream: boolean): Called[] {
  const gatherer = protocol.frames.gatherer();
  for (const line of text.split('\n')) if (/^data: \{/.test(line)) gatherer.take(JSON.parse(line.slice(6)) as AnswerFrame);
  const whole = stream ? gatherer.answer() : JSON.parse(text);
  const calls = protocol.tools?.calls(whole, '') ?? [];
  return calls.map(({ name, input }) => ({ name, input: JSON.parse(input) }));
}

export const TOOL_CALLERS = [chat, messages, items, google] as const;
