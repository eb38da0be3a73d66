import type { AnswerBody, JsonObject, Protocol } from '@svc/contracts';
import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import { gemini } from '@svc/sdk/testing';
import { GEMINI } from '../../plugins/protocol-gemini/src/protocol.ts';

const SCHEMA = { type: 'object', properties: { to: { type: 'string' } } };
const PNG = 'iVBORw0K';
const URL = `data:image/png;base64,${PNG}`;
const SIGNATURE = 'c2lnbmF0dXJlIG9mIGEgdGhvdWdodA==';

/** A protocol with a request and an answer that have many kinds of fields. */
export interface Rich {
  readonly path: (route: string, stream: boolean) => string;
  readonly request: JsonObject;
  /** A request with this text. */
  readonly ask: (text: string) => JsonObject;
  /** Null: no such answers, because the door has no protocol of its own. */
  readonly answer: { readonly protocol: Protocol; readonly body: AnswerBody } | null;
}

const chatCall = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"to":"a"}' } };
const chat: Rich = {
  path: () => '/v1/chat/completions',
  request: {
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '5m' } }] },
      {
        role: 'user',
        name: 'ann',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: URL, detail: 'low' } },
          { type: 'input_audio', input_audio: { data: PNG, format: 'wav' } },
          { type: 'file', file: { file_data: URL, filename: 'a.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: SIGNATURE }],
        reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: SIGNATURE, index: 0 }],
        tool_calls: [chatCall, { id: 'c2', type: 'custom', custom: { name: 'shell', input: 'ls' } }],
        vendor_calls: [{ type: 'mcp_call', name: 'find', arguments: '{}' }],
        executed_tools: [{ type: 'search', arguments: '{}', output: 'found' }],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"a":1}' },
      { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'done' }] },
      { role: 'user', content: 'And then?' },
    ],
    tools: [
      { type: 'function', function: { name: 'read', description: 'Reads.', strict: true, parameters: SCHEMA } },
      { type: 'custom', custom: { name: 'shell', description: 'Runs.', format: { type: 'text' } } },
    ],
    tool_choice: { type: 'function', function: { name: 'read' } },
    response_format: { type: 'json_schema', json_schema: { name: 'n', schema: SCHEMA, strict: true } },
    stop: ['END'],
    max_tokens: 10,
    n: 1,
    temperature: 0.5,
    reasoning_effort: 'low',
    metadata: { team: 'blue' },
    stream: false,
    stream_options: { include_usage: true },
  },
  ask: (text) => ({ messages: [{ role: 'user', content: text }] }),
  answer: {
    protocol: CHAT,
    body: {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Here it is.',
            refusal: null,
            reasoning_content: 'Hm.',
            thinking_blocks: [{ type: 'thinking', thinking: 'Hm.', signature: SIGNATURE }],
            reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: SIGNATURE, index: 0 }],
            tool_calls: [chatCall],
            vendor_calls: [{ type: 'mcp_call', name: 'find', arguments: '{}' }],
            annotations: [
              { type: 'url_citation', url_citation: { url: 'https://a.example', title: 't', start_index: 0, end_index: 1 } },
            ],
          },
          logprobs: { content: [{ token: 'H', logprob: -1, bytes: [72], top_logprobs: [] }] },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8, prompt_tokens_details: { cached_tokens: 0 } },
    },
  },
};

const responses: Rich = {
  path: () => '/v1/responses',
  request: {
    instructions: 'Be brief.',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look.' },
          { type: 'input_image', image_url: URL, detail: 'low' },
          { type: 'input_file', file_data: URL, filename: 'a.png' },
          { type: 'input_audio', input_audio: { data: PNG, format: 'wav' } },
        ],
      },
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: SIGNATURE },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'I read.' }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'c1', namespace: 'files', name: 'read', arguments: '{"to":"a"}' },
      { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'found' }] },
      { type: 'custom_tool_call', call_id: 'c2', name: 'shell', input: 'ls' },
      { type: 'custom_tool_call_output', call_id: 'c2', output: 'done' },
      { type: 'mcp_call', id: 'm', server_label: 'docs', name: 'find', arguments: '{}', output: 'found', error: null },
      { type: 'mcp_list_tools', server_label: 'docs', tools: [{ name: 'find', input_schema: SCHEMA }] },
      {
        type: 'web_search_call',
        id: 'ws',
        status: 'completed',
        action: { type: 'search', query: 'q', sources: [{ type: 'url', url: 'u' }] },
      },
      { role: 'user', content: 'And then?' },
    ],
    tools: [
      { type: 'function', name: 'read', description: 'Reads.', parameters: SCHEMA, strict: true },
      { type: 'custom', name: 'shell', format: { type: 'text' } },
      { type: 'namespace', name: 'files', tools: [{ type: 'function', name: 'read', parameters: SCHEMA }] },
      { type: 'mcp', server_label: 'docs', server_url: 'https://a.example', require_approval: 'never' },
    ],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'read' }] },
    text: { format: { type: 'json_schema', name: 'n', schema: SCHEMA }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto' },
    max_output_tokens: 10,
    include: ['reasoning.encrypted_content'],
    store: false,
    previous_response_id: null,
    metadata: { team: 'blue' },
    stream: false,
  },
  ask: (text) => ({ input: text }),
  answer: {
    protocol: RESPONSES,
    body: {
      id: 'resp_x',
      object: 'response',
      created_at: 1,
      completed_at: 2,
      model: 'm',
      status: 'incomplete',
      error: null,
      incomplete_details: { reason: 'max_output_tokens' },
      output: [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: SIGNATURE },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [
            {
              type: 'output_text',
              text: 'Here it is.',
              annotations: [{ type: 'url_citation', url: 'https://a.example', title: 't', start_index: 0, end_index: 1 }],
              logprobs: [],
            },
            { type: 'refusal', refusal: 'No.' },
          ],
        },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'read', arguments: '{"to":"a"}', status: 'completed' },
        { type: 'custom_tool_call', id: 'ct_1', call_id: 'c2', name: 'shell', input: 'ls', status: 'completed' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
        { type: 'mcp_call', id: 'm', server_label: 'docs', name: 'find', arguments: '{}', output: 'found', error: null },
      ],
      usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8, input_tokens_details: { cached_tokens: 0 } },
    },
  },
};

const toolUse = { type: 'tool_use', id: 'toolu_1', name: 'read', input: { to: 'a' } };
const messages: Rich = {
  path: () => '/v1/messages',
  request: {
    max_tokens: 10,
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '5m' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.', citations: null },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          { type: 'document', title: 't', context: 'c', source: { type: 'text', media_type: 'text/plain', data: 'd' } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PNG } },
          { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'found' }] },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: SIGNATURE },
          { type: 'redacted_thinking', data: SIGNATURE },
          toolUse,
          { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } },
          { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ type: 'web_search_result', title: 't', url: 'u' }] },
          { type: 'mcp_tool_use', id: 'm1', name: 'find', server_name: 'docs', input: {} },
          { type: 'mcp_tool_result', tool_use_id: 'm1', is_error: false, content: [{ type: 'text', text: 'found' }] },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', is_error: false, content: [{ type: 'text', text: 'found' }] },
          { type: 'text', text: 'And then?' },
        ],
      },
    ],
    tools: [
      { name: 'read', description: 'Reads.', input_schema: SCHEMA, cache_control: { type: 'ephemeral' } },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 1 },
    ],
    tool_choice: { type: 'tool', name: 'read', disable_parallel_tool_use: true },
    mcp_servers: [{ type: 'url', url: 'https://a.example', name: 'docs' }],
    thinking: { type: 'enabled', budget_tokens: 1024 },
    output_config: { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } },
    stop_sequences: ['END'],
    temperature: 0.5,
    metadata: { user_id: 'u' },
    stream: false,
  },
  ask: (text) => ({ max_tokens: 10, messages: [{ role: 'user', content: text }] }),
  answer: {
    protocol: MESSAGES,
    body: {
      id: 'msg_x',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: SIGNATURE },
        { type: 'redacted_thinking', data: SIGNATURE },
        {
          type: 'text',
          text: 'Here it is.',
          citations: [
            {
              type: 'char_location',
              cited_text: 'c',
              document_index: 0,
              document_title: 't',
              start_char_index: 0,
              end_char_index: 1,
            },
          ],
        },
        toolUse,
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'q' } },
        { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ type: 'web_search_result', title: 't', url: 'u' }] },
        { type: 'mcp_tool_use', id: 'm1', name: 'find', server_name: 'docs', input: {} },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
    },
  },
};

const parts = [
  { text: 'Hm.', thought: true },
  { text: 'Here it is.', thoughtSignature: SIGNATURE },
  { functionCall: { id: 'c1', name: 'read', args: { to: 'a' } }, thoughtSignature: SIGNATURE },
  { executableCode: { language: 'PYTHON', code: '1' } },
  { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
  { inlineData: { mimeType: 'image/png', data: PNG } },
];
const google: Rich = {
  path: (route, stream) => `/v1beta/models/${route}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  request: {
    systemInstruction: { role: 'user', parts: [{ text: 'Be brief.' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'Look.' },
          { inlineData: { mimeType: 'image/png', data: PNG } },
          { fileData: { mimeType: 'image/png', fileUri: 'https://a.example/a.png' } },
        ],
      },
      { role: 'model', parts },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'c1', name: 'read', response: { output: 'found' } } }, { text: 'And then?' }],
      },
    ],
    tools: [
      { functionDeclarations: [{ name: 'read', description: 'Reads.', parametersJsonSchema: SCHEMA }] },
      { googleSearch: { a: 'b' } },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read'] } },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    labels: { team: 'blue' },
    generationConfig: {
      temperature: 0.5,
      topP: 1,
      maxOutputTokens: 100,
      candidateCount: 1,
      seed: 1,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseModalities: ['TEXT'],
      responseSchema: { type: 'OBJECT', properties: { to: { type: 'STRING' } } },
      thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
    },
  },
  ask: (text) => ({ contents: [{ role: 'user', parts: [{ text }] }] }),
  answer: {
    protocol: GEMINI,
    body: gemini.answerOf(parts, {
      safetyRatings: [{ category: 'HARM_CATEGORY_HARASSMENT', probability: 'LOW' }],
      groundingMetadata: { webSearchQueries: ['q'], groundingChunks: [{ web: { uri: 'u', title: 't' } }] },
      citationMetadata: { citationSources: [{ uri: 'u', startIndex: 0, endIndex: 1 }] },
    }),
  },
};

const embeddings: Rich = {
  path: () => '/v1/embeddings',
  request: { input: ['a', 'b'], dimensions: 4, encoding_format: 'float', user: 'u', input_type: 'query' },
  ask: (text) => ({ input: [text] }),
  answer: null,
};

export const RICH = { chat, responses, messages, gemini: google, embeddings };
