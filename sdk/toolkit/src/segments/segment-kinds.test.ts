import { describe, expect, it, test } from 'vitest';
import { isAnswered, isCall, isDefinition, isInTurns, isParticipant, isSaid, resultOf, turnOf } from './segment-kinds.ts';

type Place = readonly [role: string | null, path: string];
const at = ([role, path]: Place) => ({ role, path });

describe('a text', () => {
  it.each<[...Place, turn: string]>([
    ['user', 'messages.1.content', 'messages.1'],
    ['user', 'messages.1.content.0.text', 'messages.1'],
    ['assistant', 'messages.1.refusal', 'messages.1'],
    ['system', 'system', 'system'],
    ['system', 'system.2.text', 'system'],
    ['user', 'input', 'input'],
    ['user', 'input.12.content', 'input.12'],
    ['assistant', 'input.12.content.3.text', 'input.12'],
    ['system', 'instructions', 'instructions'],
  ])('of %s in %s is speech', (role, path, turn) => {
    expect(isSaid({ role, path })).toBe(true);
    expect(turnOf({ role, path })).toBe(turn);
    expect(isInTurns({ role, path })).toBe(!/^(?:system|instructions)/.test(path));
  });

  it.each<Place>([
    ['user', 'messages.1.name'],
    ['tool', 'messages.1.content.0.content.0.text'],
    ['user', 'messages.1.content.0.title'],
    ['assistant', 'messages.1.content.0.thinking'],
    ['assistant', 'input.1.arguments.2'],
    ['assistant', 'input.1.summary.0.text'],
    ['tool', 'input.1.output.0.text'],
    [null, 'system'],
    [null, 'instructions.said'],
    [null, 'messages_of_another.1.content'],
  ])('of %s in %s is not', (role, path) => {
    expect(isSaid({ role, path })).toBe(false);
  });
});

test("a model's calls are distinguished from its text", () => {
  const calls: Place[] = [
    ['assistant', 'messages.1.tool_calls.0.function.arguments.2'],
    ['assistant', 'messages.1.function_call.name'],
    ['assistant', 'messages.1.content.0.input'],
    ['assistant', 'messages.1.content.0.input.3.1'],
    ['assistant', 'messages.1.content.0.name'],
    ['assistant', 'input.1.arguments.0'],
    ['assistant', 'input.1.input'],
    ['assistant', 'input.1.action.command.0'],
    ['assistant', 'input.1.name'],
  ];
  expect(calls.filter((place) => !isCall(at(place)))).toEqual([]);
  const others: Place[] = [
    ['user', 'messages.1.content.0.input.0'],
    ['assistant', 'messages.1.content.0.text'],
    ['assistant', 'messages.1.content'],
    ['assistant', 'input.1.content'],
    ['assistant', 'input.1.summary.0.text'],
    ['tool', 'input.1.output'],
    [null, 'input.1.arguments'],
  ];
  expect(others.filter((place) => isCall(at(place)))).toEqual([]);
});

test('a result of a tool is a message, a block or an item', () => {
  expect(resultOf(at(['tool', 'messages.3.content']))).toBe('messages.3.content');
  expect(resultOf(at(['function', 'messages.3.content.1.text']))).toBe('messages.3.content');
  expect(resultOf(at(['tool', 'messages.3.content.1.content']))).toBe('messages.3.content.1');
  expect(resultOf(at(['tool', 'messages.3.content.1.content.0.text.4']))).toBe('messages.3.content.1');
  expect(resultOf(at(['tool', 'input.3.output.0.text']))).toBe('input.3');
  expect(resultOf(at(['user', 'messages.3.content.1.text']))).toBeNull();
  expect(resultOf(at(['tool', 'messages.3.name']))).toBeNull();
});

test('definitions are separate from the turns', () => {
  const paths = [
    'tools.0.function.description',
    'tools.0.input_schema.properties.0.description',
    'functions.0.description',
    'response_format.json_schema.schema.title',
    'output_config.format.schema.title',
    'output_format.schema.title',
    'text.format.schema.title',
  ];
  expect(paths.filter((path) => !isDefinition({ role: null, path }))).toEqual([]);
  expect(isDefinition({ role: 'tool', path: 'tools.0.description' })).toBe(false);
  expect(isDefinition({ role: null, path: 'metadata.0' })).toBe(false);
});

test('a name is of a participant, or of a tool', () => {
  expect(isParticipant({ role: 'user', path: 'messages.0.name' })).toBe(true);
  expect(isParticipant({ role: 'user', path: 'input.0.name' })).toBe(true);
  expect(isParticipant({ role: 'tool', path: 'messages.0.name' })).toBe(false);
  expect(isParticipant({ role: 'assistant', path: 'input.0.name' })).toBe(false);
  expect(isParticipant({ role: 'assistant', path: 'messages.0.content.1.name' })).toBe(false);
});

test('the text of an answer is distinguished from its other parts', () => {
  const answered = ['choices.0.message.content', 'choices.1.message.content.2.text', 'content.3.text', 'output.1.content.0.text'];
  expect(answered.filter((path) => !isAnswered({ path, kind: 'text' }))).toEqual([]);
  const others = [
    'choices.0.message.reasoning_content',
    'content.0.thinking',
    'content.0.input.0',
    'output.0.summary.0.text',
    'output.0.content.0.refusal',
    'instructions',
  ];
  expect(others.filter((path) => isAnswered({ path, kind: 'text' }))).toEqual([]);
  expect(isAnswered({ path: 'output.0.content.0.text', kind: 'text', is_thinking: true })).toBe(false);
});
