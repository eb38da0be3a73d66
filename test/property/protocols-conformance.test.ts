import type { AnswerFrame } from '@svc/contracts';
import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import { type anthropic, protocolConformance, type RecordedBodies } from '@svc/sdk/testing';
import { describe, it } from 'vitest';
import { framesOfMessage, message } from '../../kernel/protocols/src/messages/test-parts.ts';

/** The suite for protocols from outside, over the gateway's own. */
const PNG = 'iVBORw0K';
const SIGNATURE = 'RXVZQkNrZ0lCaEFCR0FJ';
const SCHEMA = { type: 'object', properties: { path: { type: 'string', description: 'Of a file.' } } };
const say = (role: string, content: unknown) => ({ role, content });

const chat: RecordedBodies = {
  requests: [
    {
      model: 'route',
      messages: [
        say('system', 'Be brief.'),
        say('user', [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ]),
        { role: 'assistant', content: null, tool_calls: [call('c1', '{"path":"a"}')] },
        { role: 'tool', tool_call_id: 'c1', content: 'found' },
      ],
      tools: [{ type: 'function', function: { name: 'read', description: 'Reads.', parameters: SCHEMA } }],
      temperature: 1,
    },
  ],
  answers: [
    {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    },
  ],
  streams: [
    [
      chunk({ role: 'assistant', content: '' }),
      chunk({ thinking_blocks: [{ type: 'thinking', thinking: 'I look into it.' }] }),
      chunk({ thinking_blocks: [{ type: 'thinking', thinking: '', signature: SIGNATURE }] }),
      chunk({ content: 'Here it is, all of it.' }),
      chunk({ tool_calls: [{ index: 0, ...call('c1', '{"path":') }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }),
      chunk({ tool_calls: [{ index: 1, ...call('c2', '{}') }] }),
      chunk({}, 'tool_calls'),
      { ...chunk({}), choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
    ],
    [chunk({ role: 'assistant', content: 'All.', refusal: null }, 'stop')],
  ],
};

function chunk(delta: object, finish_reason: string | null = null): AnswerFrame {
  const head = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' };
  return { ...head, system_fingerprint: 'fp_1', choices: [{ index: 0, delta, finish_reason }] };
}

function call(id: string, args: string) {
  return { id, type: 'function', function: { name: 'read', arguments: args } };
}

const blocks: anthropic.AnthropicBlock[] = [
  { type: 'thinking', thinking: 'I look into it.', signature: SIGNATURE },
  { type: 'text', text: 'Here it is, all of it.' },
  { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } },
];
const answered = message(blocks, { stop_reason: 'tool_use' });
const messages: RecordedBodies = {
  requests: [
    {
      model: 'route',
      max_tokens: 100,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        say('user', [
          { type: 'text', text: 'Look.' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
        ]),
        say('assistant', blocks),
        say('user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'found' }] }]),
      ],
      tools: [{ name: 'read', description: 'Reads.', input_schema: SCHEMA }],
    },
  ],
  answers: [answered],
  streams: [framesOfMessage(answered, 4)],
};

const said = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed' };
const output = [
  { ...said, content: [{ type: 'output_text', text: 'Here it is, all of it.', annotations: [] }] },
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{"path":"a"}', status: 'completed' },
];
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status: 'completed',
  output,
  usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
};
const responses: RecordedBodies = {
  requests: [
    {
      model: 'route',
      instructions: 'Be brief.',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Look.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"a"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'found' },
      ],
      tools: [{ type: 'function', name: 'read', description: 'Reads.', parameters: SCHEMA, strict: false }],
    },
  ],
  answers: [response],
  streams: [[...RESPONSES.frames.framesOf(response)] as AnswerFrame[]],
};

describe.each([
  ['the chat format', CHAT, chat],
  ['the Messages API', MESSAGES, messages],
  ['the Responses API', RESPONSES, responses],
] as const)('%s', (_name, protocol, bodies) => {
  for (const { name, run } of protocolConformance({ protocol, ...bodies })) it(name, run);
});
