import { ARGUMENTS, events, json, MARKER, TEXT, THOUGHT, type Vendor } from './vendor.ts';

const usage = {
  input_tokens: 12,
  output_tokens: 5,
  total_tokens: 17,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens_details: { reasoning_tokens: 2 },
};
const model = 'grok-4-1-fast-reasoning';
const head = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model };

const thought = { type: 'reasoning', id: 'rs_1', status: 'completed', summary: [{ type: 'summary_text', text: THOUGHT }] };
const said = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: TEXT, annotations: [] }],
};
const call = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'pay_1',
  name: 'pay',
  arguments: JSON.stringify(ARGUMENTS),
  status: 'completed',
};
const done = (output: object[]) => ({ type: 'response.completed', response: { ...head, output, usage, status: 'completed' } });
const piece = (delta: string) => ({
  type: 'response.output_text.delta',
  item_id: 'msg_1',
  output_index: 1,
  content_index: 0,
  delta,
});
const begun = [
  { type: 'response.created', response: { ...head, output: [], status: 'in_progress' } },
  { type: 'response.output_item.added', item: { ...thought, summary: [], status: 'in_progress' }, output_index: 0 },
  {
    type: 'response.reasoning_summary_part.added',
    item_id: 'rs_1',
    output_index: 0,
    summary_index: 0,
    part: { type: 'summary_text', text: '' },
  },
  { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', output_index: 0, summary_index: 0, delta: THOUGHT },
  { type: 'response.output_item.done', item: thought, output_index: 0 },
  { type: 'response.output_item.added', item: { ...said, content: [], status: 'in_progress' }, output_index: 1 },
];
const argumentsPiece = (delta: string) => ({
  type: 'response.function_call_arguments.delta',
  item_id: 'fc_1',
  output_index: 0,
  delta,
});

/** https://docs.x.ai/docs/api-reference#create-new-response */
export const xai: Vendor = {
  package: '@ai-sdk/xai',
  model,
  settings: (url) => ({ baseURL: `${url}/v1`, apiKey: 'xai-key' }),
  authorization: /^Bearer xai-key$/,
  paths: { whole: '/v1/responses', streamed: '/v1/responses' },
  whole: json({ ...head, output: [thought, said], usage, status: 'completed' }),
  streamed: events([
    ...begun,
    piece(TEXT.slice(0, 6)),
    piece(TEXT.slice(6)),
    { type: 'response.output_item.done', item: said, output_index: 1 },
    done([thought, said]),
  ]),
  wholeCall: json({ ...head, output: [call], usage, status: 'completed' }),
  streamedCall: events([
    { type: 'response.created', response: { ...head, output: [], status: 'in_progress' } },
    { type: 'response.output_item.added', item: { ...call, arguments: '', status: 'in_progress' }, output_index: 0 },
    argumentsPiece('{"to":"Ann",'),
    argumentsPiece('"amount":12}'),
    { type: 'response.output_item.done', item: call, output_index: 0 },
    done([call]),
  ]),
  refusal: json({ code: 'rate_limit_exceeded', error: `Too many requests ${MARKER}` }, 429, { 'retry-after': '7' }),
  failingStream: events([...begun, { type: 'error', code: 'rate_limit_exceeded', message: MARKER }]),
  failure: { kind: 'rate_limited', status: 429 },
  openStream: events([...begun, piece('Two ')], false),
  cutStream: events([...begun, piece('Two ')]),
  toolRequest: {
    model,
    tools: [{ type: 'function', name: 'pay', parameters: { type: 'object' } }],
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'Pay Ann.' }] },
      { type: 'function_call', call_id: 'pay_1', name: 'pay', arguments: JSON.stringify(ARGUMENTS) },
      { type: 'function_call_output', call_id: 'pay_1', output: 'paid' },
    ],
  },
};
