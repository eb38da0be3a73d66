import type { JsonObject, Protocol, RequestBody } from '@svc/contracts';
import { describe, expect, it } from 'vitest';
import { CHAT, MESSAGES, RESPONSES } from './index.ts';

const inRequest = (protocol: Protocol, body: JsonObject) => toolsOf(protocol).inRequest({ model: 'm', ...body });
const namesIn = (protocol: Protocol, body: JsonObject) =>
  inRequest(protocol, body).offered.map(({ kind, name, called, path }) => `${kind} ${name} ${called} ${path}`);
const callsIn = (protocol: Protocol, value: JsonObject, path = '') =>
  toolsOf(protocol)
    .calls(value, path)
    .map(({ kind, name, input, path: at }) => `${kind} ${name} ${input} ${at}`);

function toolsOf({ tools }: Protocol): NonNullable<Protocol['tools']> {
  if (tools === undefined) throw new Error('no tools');
  return tools;
}

describe('offered tools', () => {
  it('of a chat', () => {
    const body = {
      tools: [
        { type: 'function', function: { name: 'pay' } },
        { type: 'custom', custom: { name: 'sql' } },
        { type: 'web_search_preview_2025_03_11' },
        { type: 'mcp', server_label: 'git' },
        { type: 'function', name: 'flat' },
        7,
      ],
      functions: [{ name: 'old' }],
      web_search_options: {},
      plugins: [{ id: 'file-parser' }],
    };
    expect(namesIn(CHAT, body)).toEqual([
      'function pay pay tools.0',
      'custom sql sql tools.1',
      'vendor web_search web_search tools.2',
      'mcp git git tools.3',
      'function   tools.4',
      'function   tools.5',
      'function old old functions.0',
      'vendor file-parser file-parser plugins.0',
      'vendor web_search web_search web_search_options',
    ]);
  });

  it('of the Messages API', () => {
    const body = {
      tools: [
        { name: 'pay', input_schema: {} },
        { type: 'custom', name: 'move', input_schema: {} },
        { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
        { type: 'mcp_toolset', mcp_server_name: 'git' },
      ],
      mcp_servers: [{ type: 'url', name: 'git', url: 'https://git.example', authorization_token: 'token' }],
    };
    expect(namesIn(MESSAGES, body)).toEqual([
      'function pay pay tools.0',
      'function move move tools.1',
      'vendor text_editor str_replace_based_edit_tool tools.2',
      'mcp git git tools.3',
      'mcp git git mcp_servers.0',
    ]);
    expect(JSON.stringify(inRequest(MESSAGES, body))).not.toContain('token"');
  });

  it('of the Responses API, also in namespaces and in results of a tool search', () => {
    const body = {
      tools: [
        { type: 'function', name: 'pay' },
        { type: 'namespace', name: 'git', description: 'd', tools: [{ type: 'function', name: 'push' }] },
        { type: 'computer_use_preview' },
        { type: 'mcp', server_label: 'hub', authorization: 'token' },
      ],
      input: [
        { type: 'tool_search_output', tools: [{ type: 'function', name: 'found' }] },
        { type: 'mcp_list_tools', server_label: 'hub', tools: [{ name: 'read' }] },
      ],
    };
    expect(namesIn(RESPONSES, body)).toEqual([
      'function pay pay tools.0',
      'function git__push git__push tools.1.tools.0',
      'vendor computer computer tools.2',
      'mcp hub hub tools.3',
      'function found found input.0.tools.0',
      'mcp hub/read hub/read input.1.tools.0',
    ]);
    expect(inRequest(RESPONSES, body).offered[1]?.definition).toMatchObject({ namespace: { name: 'git', description: 'd' } });
    expect(JSON.stringify(inRequest(RESPONSES, body))).not.toContain('token');
  });
});

describe('calls', () => {
  it('of a chat, in a whole answer and in a chunk beside its delta', () => {
    const said = {
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'pay', arguments: '{"a":1}' } },
        { id: 'b', type: 'custom', custom: { name: 'sql', input: 'select' } },
        { id: 'c', function: { name: 'one', arguments: '' }, custom: { name: 'two', input: '' } },
        { id: 'd', type: 'function' },
      ],
      function_call: { name: 'old', arguments: '{}' },
      vendor_calls: [
        { type: 'web_search_call', id: 'ws', action: { query: 'q' } },
        { type: 'web_search_tool_result', tool_use_id: 'x' },
      ],
    };
    const expected = (name: string) => [
      `function pay {"a":1} choices.0.${name}.tool_calls.0`,
      `custom sql select choices.0.${name}.tool_calls.1`,
      `function one  choices.0.${name}.tool_calls.2`,
      `custom two  choices.0.${name}.tool_calls.2`,
      `function   choices.0.${name}.tool_calls.3`,
      `function old {} choices.0.${name}.function_call`,
      `vendor web_search {"action":{"query":"q"}} choices.0.${name}.vendor_calls.0`,
    ];
    for (const name of ['message', 'delta'])
      expect(callsIn(CHAT, { choices: [{ index: 0, [name]: said }] })).toEqual(expected(name));
  });

  it.each([
    [
      ['read_', 'mail'],
      ['read_mail', 'read_', 'mail'],
    ],
    [['mail', 'mail'], ['mail']],
    [['mail'], ['mail']],
  ])('of a chat, with the name in pieces %j as clients read them', (pieces, expected) => {
    const frames = ['function', 'custom'].flatMap((kind, index) =>
      [...pieces, null].map((name) => ({
        choices: [
          { index: 0, delta: { tool_calls: [{ index, [kind]: name === null ? { arguments: '{}', input: '{}' } : { name } }] } },
        ],
      })),
    );
    const { value, path } = CHAT.frames.reader().partOf(frames);
    const called = (kind: string) => expected.map((name) => `${kind} ${name} {}`);
    const calls = callsIn(CHAT, value, path).map((call) => call.split(' ').slice(0, 3).join(' '));
    expect(calls.toSorted()).toEqual([...called('function'), ...called('custom')].toSorted());
  });

  it('of the Messages API, in an answer, a frame and a part', () => {
    const content = [
      { type: 'text', text: 'x' },
      { type: 'tool_use', id: 't', name: 'pay', input: { a: 1 } },
      { type: 'server_tool_use', id: 's', name: 'bash_code_execution', input: {} },
      { type: 'mcp_tool_use', id: 'm', name: 'push', server_name: 'git', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'novel', id: 'n', x: 1 },
    ];
    const expected = [
      'function pay {"a":1} content.1',
      'vendor code_execution {} content.2',
      'mcp git/push {} content.3',
      'vendor novel {"x":1} content.5',
    ];
    expect(callsIn(MESSAGES, { type: 'message', content })).toEqual(expected);
    expect(callsIn(MESSAGES, { type: 'message_start', message: { content } })).toEqual(expected);
    expect(callsIn(MESSAGES, content[1] as JsonObject, 'content.7')).toEqual(['function pay {"a":1} content.7']);
    expect(callsIn(MESSAGES, { type: 'content_block_start', content_block: content[5] as JsonObject })).toHaveLength(1);
  });

  it('of the Responses API, in an answer, a frame and a part', () => {
    const output = [
      { type: 'message', content: [] },
      { type: 'function_call', call_id: 'c', name: 'push', namespace: 'git', arguments: '{}' },
      { type: 'custom_tool_call', call_id: 'd', name: 'sql', input: 'select' },
      { type: 'mcp_call', server_label: 'hub', name: 'read', arguments: '{"a":1}', output: 'secret' },
      { type: 'mcp_approval_request', server_label: 'hub', name: 'read', arguments: '{}' },
      { type: 'computer_call', call_id: 'e', action: { type: 'click' } },
    ];
    const expected = [
      'function git__push {} output.1',
      'custom sql select output.2',
      'mcp hub/read {"a":1} output.3',
      'mcp hub/read {} output.4',
      'vendor computer {"action":{"type":"click"}} output.5',
    ];
    expect(callsIn(RESPONSES, { output })).toEqual(expected);
    expect(callsIn(RESPONSES, { type: 'response.completed', response: { output } })).toEqual(expected);
    expect(callsIn(RESPONSES, output[2] as JsonObject, 'output.9')).toEqual(['custom sql select output.9']);
    expect(callsIn(RESPONSES, { type: 'response.output_item.done', item: output[1] as JsonObject })).toHaveLength(1);
  });
});

describe('tools that an MCP server lists in an answer', () => {
  const tool = { name: 'read', description: 'Reads.', input_schema: { type: 'object' } };
  const ITEM = { type: 'mcp_list_tools', id: 'l', server_label: 'hub', tools: [{ ...tool, annotations: null }] };
  const BLOCK = { type: 'mcp_tool_listing', mcp_server_name: 'hub', tools: [tool] };
  const definition = { kind: 'mcp', name: 'hub/read', description: 'Reads.', parameters: { type: 'object' } };

  it.each([
    [RESPONSES, { output: [ITEM] }, '', 'output.0.tools.0'],
    [RESPONSES, { type: 'response.output_item.done', item: ITEM }, '', 'output.tools.0'],
    [RESPONSES, ITEM, 'output.4', 'output.4.tools.0'],
    [MESSAGES, { type: 'message', content: [BLOCK] }, '', 'content.0.tools.0'],
    [MESSAGES, { type: 'content_block_start', content_block: BLOCK }, '', 'content.tools.0'],
    [MESSAGES, BLOCK, 'content.4', 'content.4.tools.0'],
    [CHAT, { choices: [{ message: { vendor_calls: [ITEM] } }] }, '', 'choices.0.message.vendor_calls.0.tools.0'],
    [CHAT, { choices: [{ delta: { vendor_calls: [ITEM] } }] }, '', 'choices.0.delta.vendor_calls.0.tools.0'],
  ] as const)('of $id have one definition in every API, and are no calls', (protocol, value, at, path) => {
    const { calls, listed } = toolsOf(protocol);
    expect(listed?.(value, at)).toEqual([{ kind: 'mcp', name: 'hub/read', called: 'hub/read', path, definition }]);
    expect(calls(value, at)).toEqual([]);
  });

  it('are offered by the requests that return the list, which may become empty', () => {
    for (const [protocol, body, list] of [
      [RESPONSES, { input: [ITEM] }, 'input.0.tools'],
      [MESSAGES, { messages: [{ role: 'assistant', content: [BLOCK] }] }, 'messages.0.content.0.tools'],
    ] as const) {
      const own = structuredClone(body) as unknown as JsonObject & RequestBody;
      expect(inRequest(protocol, own).offered).toMatchObject([{ path: `${list}.0`, definition }]);
      toolsOf(protocol).withhold(own, [{ path: `${list}.0` }]);
      expect(inRequest(protocol, own).offered).toEqual([]);
      expect(JSON.stringify(own)).toContain('"tools":[]');
    }
  });
});

it('skills and definitions in a turn of the Messages API are offers', () => {
  const body = {
    container: {
      id: 'c',
      skills: [
        { type: 'anthropic', skill_id: 'pdf' },
        { type: 'custom', skill_id: 'skill_01', version: '3' },
      ],
    },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'tool_addition', tool: { type: 'tool_definition', definition: { name: 'pay', input_schema: {} } } },
          { type: 'tool_addition', tool: { type: 'tool_reference', name: 'mail' } },
          { type: 'text', text: 'Go.' },
        ],
      },
    ],
  };
  const { offered } = inRequest(MESSAGES, body);
  expect(offered.map(({ kind, name, path }) => `${kind} ${name} ${path}`)).toEqual([
    'vendor skill/anthropic/pdf container.skills.0',
    'vendor skill/custom/skill_01 container.skills.1',
    'function pay messages.0.content.0',
  ]);
  expect(offered[1]?.definition).toMatchObject({ kind: 'vendor', version: '3' });
  const own = structuredClone(body) as unknown as JsonObject & RequestBody;
  toolsOf(MESSAGES).withhold(
    own,
    offered.map(({ path }) => ({ path })),
  );
  expect(own).toMatchObject({
    container: { id: 'c' },
    messages: [{ content: [{ tool: { type: 'tool_reference' } }, { type: 'text' }] }],
  });
  expect(inRequest(MESSAGES, own).offered).toEqual([]);
});

describe('results and choices', () => {
  const CASES: [Protocol, JsonObject, string, JsonObject][] = [
    [
      CHAT,
      {
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'pay', arguments: '{}' } }] },
          { role: 'tool', tool_call_id: 'c', content: 'RESULT', extra: 'RESULT' },
          { role: 'tool', tool_call_id: 'other', content: 'RESULT' },
        ],
        tool_choice: { type: 'function', function: { name: 'pay' } },
      },
      'messages',
      { role: 'tool', tool_call_id: 'c', content: 'NOTICE' },
    ],
    [
      MESSAGES,
      {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'pay', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'text', text: 'RESULT' }] }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'other', content: 'RESULT' }] },
        ],
        tool_choice: { type: 'tool', name: 'pay' },
      },
      'messages',
      { type: 'tool_result', tool_use_id: 'c', content: 'NOTICE' },
    ],
    [
      RESPONSES,
      {
        input: [
          { type: 'function_call', call_id: 'c', name: 'pay', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output: 'RESULT' },
          { type: 'function_call_output', call_id: 'other', output: 'RESULT' },
        ],
        tool_choice: { type: 'function', name: 'pay' },
      },
      'input',
      { type: 'function_call_output', call_id: 'c', output: 'NOTICE' },
    ],
  ];
  it.each(CASES)('of $id: a result has its call, and is replaced whole', (protocol, given, turns, replaced) => {
    const body = structuredClone(given) as RequestBody;
    const { results, chosen } = inRequest(protocol, given);
    expect(chosen).toEqual([{ kind: 'function', name: 'pay' }]);
    expect(results.map(({ calls }) => calls.map(({ name }) => name))).toEqual([['pay'], []]);
    toolsOf(protocol).withhold(
      body,
      results.map(({ path }) => ({ path, text: 'NOTICE' })),
    );
    expect(JSON.stringify(body)).not.toContain('RESULT');
    expect(JSON.stringify((body[turns] as unknown[])[1])).toContain(JSON.stringify(replaced));
  });

  it('a result without an id has no call, and the output of a local shell has the id of its call', () => {
    const call = { type: 'function', function: { name: 'pay', arguments: '{}' } };
    const messages = [
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', content: 'RESULT' },
    ];
    expect(inRequest(CHAT, { messages }).results).toEqual([{ path: 'messages.1', calls: [] }]);
    const input = [
      { type: 'local_shell_call', call_id: 'c', id: 'item', action: { command: ['ls'] } },
      { type: 'local_shell_call_output', id: 'c', output: 'RESULT' },
    ];
    expect(inRequest(RESPONSES, { input }).results).toMatchObject([{ path: 'input.1', calls: [{ name: 'local_shell' }] }]);
  });

  it('a choice may be a text that names a function, and modes name no function', () => {
    expect(inRequest(CHAT, { tool_choice: 'pay' }).chosen).toEqual([{ kind: 'function', name: 'pay' }]);
    for (const tool_choice of ['auto', 'none', 'required', { type: 'any' }])
      expect(inRequest(MESSAGES, { tool_choice }).chosen).toEqual([]);
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a' }, { type: 'web_search' }] };
    expect(inRequest(RESPONSES, { tool_choice: allowed }).chosen).toEqual([
      { kind: 'function', name: 'a' },
      { kind: 'vendor', name: 'web_search' },
    ]);
  });
});

describe('withheld definitions', () => {
  it('are removed, also from a choice of several tools, and empty lists are removed with them', () => {
    const namespace = { type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'a' }] };
    const b = { type: 'function', name: 'b' };
    const body = { model: 'm', tools: [b, namespace, b], tool_choice: 'auto' } as RequestBody;
    toolsOf(RESPONSES).withhold(body, [{ path: 'tools.0' }, { path: 'tools.1.tools.0' }]);
    expect(body).toEqual({ model: 'm', tools: [b], tool_choice: 'auto' });
    toolsOf(RESPONSES).withhold(body, [{ path: 'tools.0' }]);
    expect(body).toEqual({ model: 'm' });
  });

  it('keep their places, however many are removed at once', () => {
    const tools = Array.from({ length: 12 }, (_, at) => ({ type: 'function', function: { name: `t${at}` } }));
    const body = { model: 'm', tools } as RequestBody;
    toolsOf(CHAT).withhold(
      body,
      [1, 10, 2].map((at) => ({ path: `tools.${at}` })),
    );
    expect(namesIn(CHAT, { tools: body.tools as JsonObject[] }).map((text) => text.split(' ')[1])).toEqual(
      [0, 3, 4, 5, 6, 7, 8, 9, 11].map((at) => `t${at}`),
    );
  });
});

it('arguments that arrived in pieces and differ from the whole item are a call of their own', () => {
  const item = { type: 'function_call', name: 'pay', arguments: '{"a":1}', events: ['{"a":2}', 'noise'] };
  expect(callsIn(RESPONSES, item, 'output.0')).toEqual(['function pay {"a":1} output.0', 'function pay {"a":2} output.0']);
});
