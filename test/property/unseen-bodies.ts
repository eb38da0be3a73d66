import type { AnswerBody, AnswerFrame, Protocol, RequestBody } from '@svc/contracts';
import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';

/** Ordinary bodies of a protocol, to which a test adds values that no guard expects. */
export interface Bodies {
  readonly protocol: Protocol;
  readonly request: RequestBody;
  readonly answer: AnswerBody;
  readonly frames: readonly AnswerFrame[];
}

const USAGE = { input_tokens: 3, output_tokens: 2, service_tier: 'standard' };
const SCHEMA = { type: 'object', properties: { city: { type: 'string', description: 'where' } }, required: ['city'] };

const chatFrame = (delta: object, finish_reason: string | null = null): AnswerFrame => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm-1',
  choices: [{ index: 0, delta, finish_reason, logprobs: { content: [{ token: 'x', logprob: 0 }] } }],
});

const CHAT_BODIES: Bodies = {
  protocol: CHAT,
  request: {
    model: 'r',
    messages: [
      { role: 'system', content: 'be kind' },
      { role: 'user', name: 'ann', content: [{ type: 'text', text: 'hello' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"city":"x"}' } }],
        thinking_blocks: [{ type: 'thinking', thinking: 'hm', signature: 'QUJD' }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
      { role: 'user', content: 'and now' },
    ],
    tools: [{ type: 'function', function: { name: 'f', description: 'weather', parameters: SCHEMA } }],
    tool_choice: 'auto',
    metadata: { team: 'a' },
    stop: ['end'],
    user: 'u-1',
    response_format: { type: 'text' },
  },
  answer: {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm-1',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'hello',
          reasoning_content: 'hm',
          annotations: [
            { type: 'url_citation', url_citation: { url: 'https://x.org', title: 't', start_index: 0, end_index: 1 } },
          ],
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"city":"x"}' } }],
        },
        finish_reason: 'tool_calls',
        logprobs: { content: [{ token: 'hello', logprob: 0 }] },
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    service_tier: 'default',
    system_fingerprint: 'fp_1',
  },
  frames: [
    chatFrame({ role: 'assistant', content: '' }),
    chatFrame({ reasoning_content: 'hm' }),
    chatFrame({ content: 'hel' }),
    chatFrame({ content: 'lo' }),
    chatFrame({ annotations: [{ type: 'url_citation', url_citation: { url: 'https://x.org', title: 't' } }] }),
    chatFrame({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"ci' } }] }),
    chatFrame({ tool_calls: [{ index: 0, function: { arguments: 'ty":"x"}' } }] }),
    chatFrame({ tool_calls: [{ index: 1, id: 'call_2', type: 'custom', custom: { name: 'g', input: 'in' } }] }),
    chatFrame({ thinking_blocks: [{ type: 'thinking', thinking: 'h', note: 'n' }] }),
    chatFrame({ thinking_blocks: [{ type: 'thinking', thinking: 'm', note: 'n', signature: 'QUJD' }] }),
    chatFrame({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'h', format: 'unknown' }] }),
    chatFrame({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'm', signature: 'QUJD' }] }),
    chatFrame({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, id: 'rs_1', data: 'QUJD' }] }),
    chatFrame({ audio: { id: 'a', data: 'QUJD', transcript: 'so', note: 'n' } }),
    chatFrame({ function_call: { name: 'f', arguments: '{"city":"x"}' } }),
    chatFrame({ novel: { type: 't', 'a.b': 'x', deep: [{ index: 2, text: 'm' }] } }),
    chatFrame({}, 'tool_calls'),
    { ...chatFrame({}), choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
  ],
};

const BLOCKS = [
  { type: 'thinking', thinking: 'hm', signature: 'QUJD' },
  { type: 'redacted_thinking', data: 'REVG' },
  {
    type: 'text',
    text: 'hello',
    citations: [{ type: 'char_location', cited_text: 'c', document_index: 0, document_title: 'd' }],
  },
  { type: 'not_invented_yet', note: 'n', deep: [{ more: 'm' }] },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', title: 't', url: 'https://x.org', encrypted_content: 'R0hJ', page_age: '1' }],
  },
  { type: 'tool_use', id: 'toolu_1', name: 'f', input: { city: 'x' } },
];
const HEAD = { id: 'm', type: 'message', role: 'assistant', model: 'm-1' };
const grown = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const begun = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block });
const closed = (index: number) => ({ type: 'content_block_stop', index });

const MESSAGES_BODIES: Bodies = {
  protocol: MESSAGES,
  request: {
    model: 'r',
    max_tokens: 10,
    system: [{ type: 'text', text: 'be kind', cache_control: { type: 'ephemeral' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hello' },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a text' }, title: 't', context: 'c' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } },
        ],
      },
      { role: 'assistant', content: [BLOCKS[0], BLOCKS[2], BLOCKS[5]] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'rain' }], is_error: false }],
      },
    ],
    tools: [{ name: 'f', description: 'weather', input_schema: SCHEMA, input_examples: [{ city: 'y' }] }],
    tool_choice: { type: 'auto' },
    metadata: { user_id: 'u-1' },
    stop_sequences: ['end'],
    anthropic_beta: ['beta-1'],
  },
  answer: {
    ...HEAD,
    content: BLOCKS,
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: USAGE,
    container: { id: 'c_1', expires_at: 'soon' },
  },
  frames: [
    { type: 'message_start', message: { ...HEAD, content: [], stop_reason: null, stop_sequence: null, usage: USAGE } },
    begun(0, { type: 'thinking', thinking: '', signature: '' }),
    grown(0, { type: 'thinking_delta', thinking: 'h' }),
    grown(0, { type: 'thinking_delta', thinking: 'm' }),
    grown(0, { type: 'signature_delta', signature: 'QUJD' }),
    closed(0),
    { type: 'ping' },
    begun(1, { type: 'text', text: '' }),
    grown(1, { type: 'text_delta', text: 'hel' }),
    grown(1, { type: 'text_delta', text: 'lo' }),
    grown(1, { type: 'citations_delta', citation: { type: 'char_location', cited_text: 'c', document_title: 'd' } }),
    closed(1),
    begun(2, { type: 'not_invented_yet', note: '' }),
    grown(2, { type: 'not_invented_yet_delta', note: 'n', deep: [{ more: 'm' }] }),
    grown(2, { type: 'not_invented_yet_delta', note: 'n', deep: [{ more: 'm' }] }),
    closed(2),
    begun(3, { type: 'compaction', content: 'c' }),
    grown(3, { type: 'compaction_delta', content: 'd' }),
    closed(3),
    begun(4, BLOCKS[4] ?? {}),
    closed(4),
    begun(5, { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }),
    grown(5, { type: 'input_json_delta', partial_json: '{"ci' }),
    { type: 'not_invented_yet', note: 'n' },
    grown(5, { type: 'input_json_delta', partial_json: 'ty":"x"}' }),
    closed(5),
    { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ],
};

const ITEMS = [
  { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'QUJD' },
  {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [
      {
        type: 'output_text',
        text: 'hello',
        annotations: [{ type: 'url_citation', title: 't', url: 'https://x.org' }],
        logprobs: [],
      },
    ],
  },
  { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"city":"x"}', status: 'completed' },
  { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } },
  { id: 'nn_1', type: 'not_invented_yet', note: 'n' },
];
const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm-1',
  status: 'completed',
  instructions: 'be kind',
  metadata: { team: 'a' },
  output: ITEMS,
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};
const BEGUN = { ...RESPONSE, status: 'in_progress', output: [] };

const RESPONSES_BODIES: Bodies = {
  protocol: RESPONSES,
  request: {
    model: 'r',
    instructions: 'be kind',
    input: [
      { role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
      ITEMS[0],
      ITEMS[1],
      ITEMS[2],
      { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
      { role: 'user', content: 'and now' },
    ],
    tools: [{ type: 'function', name: 'f', description: 'weather', parameters: SCHEMA, strict: true }],
    tool_choice: 'auto',
    metadata: { team: 'a' },
    prompt_cache_key: 'k',
    text: { format: { type: 'text' } },
  },
  answer: RESPONSE,
  frames: [
    { type: 'response.created', sequence_number: 0, response: BEGUN },
    { type: 'response.in_progress', sequence_number: 1, response: BEGUN },
    { type: 'response.output_item.added', output_index: 0, item: { ...ITEMS[0], summary: [] } },
    {
      type: 'response.reasoning_summary_part.added',
      item_id: 'rs_1',
      output_index: 0,
      summary_index: 0,
      part: { type: 'summary_text', text: '' },
    },
    { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', output_index: 0, summary_index: 0, delta: 'h' },
    { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', output_index: 0, summary_index: 0, delta: 'm' },
    { type: 'response.reasoning_summary_text.done', item_id: 'rs_1', output_index: 0, summary_index: 0, text: 'hm' },
    {
      type: 'response.reasoning_summary_part.done',
      item_id: 'rs_1',
      output_index: 0,
      summary_index: 0,
      part: { type: 'summary_text', text: 'hm' },
    },
    { type: 'response.output_item.done', output_index: 0, item: ITEMS[0] },
    { type: 'keepalive' },
    { type: 'response.output_item.added', output_index: 1, item: { ...ITEMS[1], content: [] } },
    {
      type: 'response.content_part.added',
      item_id: 'msg_1',
      output_index: 1,
      content_index: 0,
      part: { type: 'output_text', text: '', annotations: [] },
    },
    {
      type: 'response.output_text.delta',
      item_id: 'msg_1',
      output_index: 1,
      content_index: 0,
      delta: 'hel',
      logprobs: [],
      obfuscation: 'aB3',
    },
    {
      type: 'response.output_text.delta',
      item_id: 'other',
      output_index: 1,
      content_index: 0,
      delta: 'lo',
      logprobs: [],
      obfuscation: 'aB3',
    },
    {
      type: 'response.output_text.annotation.added',
      item_id: 'msg_1',
      output_index: 1,
      content_index: 0,
      annotation_index: 0,
      annotation: { type: 'url_citation', title: 't', url: 'https://x.org' },
    },
    { type: 'response.output_text.done', item_id: 'other', output_index: 1, content_index: 0, text: 'hello', logprobs: [] },
    {
      type: 'response.content_part.done',
      item_id: 'msg_1',
      output_index: 1,
      content_index: 0,
      part: { type: 'output_text', text: 'hello', annotations: [] },
    },
    { type: 'response.output_item.done', output_index: 1, item: ITEMS[1] },
    { type: 'response.output_item.added', output_index: 2, item: { ...ITEMS[2], arguments: '', status: 'in_progress' } },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 2, delta: '{"ci' },
    { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 2, delta: 'ty":"x"}' },
    { type: 'response.function_call_arguments.done', item_id: 'fc_1', output_index: 2, arguments: '{"city":"x"}' },
    { type: 'response.output_item.done', output_index: 2, item: ITEMS[2] },
    { type: 'response.output_item.added', output_index: 3, item: ITEMS[3] },
    { type: 'response.web_search_call.searching', item_id: 'ws_1', output_index: 3 },
    { type: 'response.output_item.done', output_index: 3, item: ITEMS[3] },
    { type: 'response.not_invented_yet.delta', output_index: 4, delta: 'n' },
    { type: 'response.not_invented_yet.delta', output_index: 4, delta: 'm' },
    { type: 'response.output_item.done', output_index: 4, item: ITEMS[4] },
    { type: 'response.completed', response: RESPONSE },
  ],
};

export const BODIES = [CHAT_BODIES, MESSAGES_BODIES, RESPONSES_BODIES] as const;
