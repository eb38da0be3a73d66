import { ARGUMENTS, events, json, MARKER, TEXT, THOUGHT, type Vendor } from './vendor.ts';

const usage = { billed_units: { input_tokens: 12, output_tokens: 5 }, tokens: { input_tokens: 90, output_tokens: 7 } };

function message(content: object, finish_reason = 'COMPLETE'): object {
  return { id: 'c-1', message: { role: 'assistant', ...content }, finish_reason, usage };
}

const end = (finish_reason: string) => ({ type: 'message-end', delta: { finish_reason, usage } });
const started = { type: 'message-start', id: 'c-1', delta: { message: { role: 'assistant' } } };

function block(index: number, type: 'text' | 'thinking', pieces: readonly string[]) {
  const delta = (content: object) => ({ delta: { message: { content } } });
  return [
    { type: 'content-start', index, ...delta({ type, [type]: '' }) },
    ...pieces.map((piece) => ({ type: 'content-delta', index, ...delta({ [type]: piece }) })),
    { type: 'content-end', index },
  ];
}

const begun = [started, ...block(0, 'thinking', [THOUGHT])];
const call = (delta: object) => ({ delta: { message: { tool_calls: delta } } });
const [opened = '', closed = ''] = ['{"to":"Ann",', '"amount":12}'];

/** https://docs.cohere.com/reference/chat and https://docs.cohere.com/v2/docs/streaming */
export const cohere: Vendor = {
  package: '@ai-sdk/cohere',
  model: 'command-a-reasoning-08-2025',
  settings: (url) => ({ baseURL: `${url}/v2`, apiKey: 'cohere-key' }),
  authorization: /^Bearer cohere-key$/,
  paths: { whole: '/v2/chat', streamed: '/v2/chat' },
  whole: json(
    message({
      content: [
        { type: 'thinking', thinking: THOUGHT },
        { type: 'text', text: TEXT },
      ],
    }),
  ),
  streamed: events([...begun, ...block(1, 'text', [TEXT.slice(0, 6), TEXT.slice(6)]), end('COMPLETE')]),
  wholeCall: json(
    message(
      {
        tool_plan: 'I pay.',
        tool_calls: [{ id: 'pay_1', type: 'function', function: { name: 'pay', arguments: JSON.stringify(ARGUMENTS) } }],
      },
      'TOOL_CALL',
    ),
  ),
  streamedCall: events([
    started,
    { type: 'tool-call-start', index: 0, ...call({ id: 'pay_1', type: 'function', function: { name: 'pay', arguments: '' } }) },
    { type: 'tool-call-delta', index: 0, ...call({ function: { arguments: opened } }) },
    { type: 'tool-call-delta', index: 0, ...call({ function: { arguments: closed } }) },
    { type: 'tool-call-end', index: 0 },
    end('TOOL_CALL'),
  ]),
  refusal: json({ id: 'e-1', message: `too many requests ${MARKER}` }, 429, { 'retry-after': '7' }),
  failingStream: events([...begun, end('ERROR')]),
  failure: { kind: 'unavailable' },
  openStream: events([...begun, ...block(1, 'text', ['Two ']).slice(0, 2)], false),
  cutStream: events([...begun, ...block(1, 'text', ['Two '])]),
  toolRequest: {
    model: 'command-a-reasoning-08-2025',
    tools: [{ type: 'function', function: { name: 'pay', parameters: { type: 'object' } } }],
    messages: [
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'pay_1', function: { name: 'pay', arguments: JSON.stringify(ARGUMENTS) } }] },
      { role: 'tool', tool_call_id: 'pay_1', content: 'paid' },
    ],
  },
};
