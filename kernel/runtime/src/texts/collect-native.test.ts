import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import { describe, expect, it } from 'vitest';
import { collectRequest, collectTable } from './collect.ts';
import type { Payload } from './payload.ts';

const segmentsOf = (payload: Payload) => payload.seen('all').segments;
const rolesOf = (payload: Payload) => segmentsOf(payload).map(({ path, role }) => [path, role]);

describe('who speaks', () => {
  it('is given for each item of a response, and for a single text', () => {
    const input = [
      { role: 'developer', content: 'a' },
      { role: 'user', content: [{ type: 'input_text', text: 'b' }] },
      { type: 'function_call', arguments: '{"a":"c"}' },
      { type: 'function_call_output', output: 'd' },
      { type: 'message', role: 'assistant', content: 'e' },
    ];
    expect(rolesOf(collectRequest(RESPONSES, { model: 'm', instructions: 'i', input }))).toEqual([
      ['instructions', 'system'],
      ['input.0.content', 'system'],
      ['input.1.content.0.text', 'user'],
      ['input.2.arguments.0', 'assistant'],
      ['input.2.arguments.0', 'assistant'],
      ['input.3.output', 'tool'],
      ['input.4.content', 'assistant'],
    ]);
    expect(rolesOf(collectRequest(RESPONSES, { model: 'm', input: 'a' }))).toEqual([['input', 'user']]);
  });

  it('is given for each turn of messages, and results of tools have the role tool', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'tool_use', input: { a: 'b' } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', content: [{ type: 'text', text: 'c' }] },
          { type: 'text', text: 'd' },
        ],
      },
    ];
    expect(rolesOf(collectRequest(MESSAGES, { model: 'm', system: [{ type: 'text', text: 's' }], messages }))).toEqual([
      ['system.0.text', 'system'],
      ['messages.0.content', 'user'],
      ['messages.1.content.0.input.0', 'assistant'],
      ['messages.1.content.0.input.0', 'assistant'],
      ['messages.2.content.0.content.0.text', 'tool'],
      ['messages.2.content.1.text', 'user'],
    ]);
  });
});

describe('thinking', () => {
  const thought = (payload: Payload) =>
    segmentsOf(payload).flatMap(({ text, is_thinking }) => (is_thinking === true ? [text] : []));
  const part = (type: string, text: string) => ({ type, text });

  it("is distinguished from a model's text in each protocol", () => {
    const message = {
      content: 'said',
      reasoning_content: 'a',
      reasoning: 'b',
      thinking_blocks: [{ type: 'thinking', thinking: 'c' }],
      reasoning_details: [{ type: 'reasoning.text', text: 'd' }],
    };
    expect(thought(collectTable(CHAT.answer, { choices: [{ message }] }))).toEqual(['a', 'b', 'c', 'd']);
    const content = [{ type: 'thinking', thinking: 'a' }, part('text', 'said')];
    expect(thought(collectTable(MESSAGES.answer, { content }))).toEqual(['a']);
    const output = [
      { type: 'reasoning', summary: [part('summary_text', 'a')], content: [part('reasoning_text', 'b')] },
      { type: 'message', content: [part('output_text', 'said')] },
    ];
    expect(thought(collectTable(RESPONSES.answer, { output }))).toEqual(['a', 'b']);
    expect(thought(collectRequest(RESPONSES, { model: 'm', input: output }))).toEqual(['a', 'b']);
  });
});
