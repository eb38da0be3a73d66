import type { Protocol } from '@svc/contracts';
import { MESSAGES, RESPONSES } from '@svc/protocols';
import { expect, it } from 'vitest';
import { toolsIn } from './tools-in.ts';

const seen = ({ tools }: Protocol, part: object, frames: object[], path = 'output.0') =>
  tools && toolsIn(tools, part, path, frames)().calls.map(({ name, input }) => `${name} ${input}`);

it('a call that begins under another name is a separate call', () => {
  const call = (name: string, args: string) => ({ type: 'function_call', call_id: 'c', name, arguments: args });
  const frames = (first: object, last: object) => [
    { type: 'response.output_item.added', output_index: 0, item: first },
    { type: 'response.output_item.done', output_index: 0, item: last },
  ];
  const whole = call('fine', '{"a":1}');
  expect(seen(RESPONSES, whole, frames(call('fine', ''), whole))).toEqual(['fine {"a":1}']);
  expect(seen(RESPONSES, whole, frames(call('denied', ''), whole))).toEqual(['fine {"a":1}', 'denied ']);
  expect(seen(RESPONSES, whole, frames(call('fine', '{"a":2}'), whole))).toEqual(['fine {"a":1}', 'fine {"a":2}']);
});

it('a block that begins with arguments and gets others is two calls', () => {
  const block = (input: object) => ({ type: 'tool_use', id: 't', name: 'pay', input });
  const start = (input: object) => [{ type: 'content_block_start', index: 0, content_block: block(input) }];
  expect(seen(MESSAGES, block({ a: 1 }), start({}), 'content.0')).toEqual(['pay {"a":1}']);
  expect(seen(MESSAGES, block({ a: 1 }), start({ a: 2 }), 'content.0')).toEqual(['pay {"a":1}', 'pay {"a":2}']);
});

it('a call that a guard edits stays one call', () => {
  const part = { type: 'function_call', call_id: 'c', name: 'fine', arguments: '{"a":1}' };
  const frame = { type: 'response.output_item.done', output_index: 0, item: structuredClone(part) };
  const tools = RESPONSES.tools && toolsIn(RESPONSES.tools, part, 'output.0', [frame]);
  part.arguments = '{"a":2}';
  expect(tools?.().calls.map(({ input }) => input)).toEqual(['{"a":2}']);
});

it('tools that a list has in one frame and not in another are separate tools', () => {
  const item = (description: string) => ({ type: 'mcp_list_tools', server_label: 'hub', tools: [{ name: 'read', description }] });
  const listed = (...frames: object[]) => {
    const items = frames.map((each) => ({ type: 'response.output_item.done', output_index: 0, item: each }));
    return RESPONSES.tools && toolsIn(RESPONSES.tools, item('Reads.'), 'output.0', items)().listed;
  };
  expect(listed(item('Reads.'))).toMatchObject([{ name: 'hub/read', definition: { description: 'Reads.' } }]);
  expect(listed(item('Sends.'), item('Reads.'), item('Sends.'))).toMatchObject([
    { definition: { description: 'Reads.' } },
    { definition: { description: 'Sends.' } },
  ]);
});
