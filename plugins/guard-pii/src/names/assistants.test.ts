import { describe, expect, test } from 'vitest';
import { nameFinder } from '../name-finder.ts';

const finder = nameFinder(new Set(['PERSON']), 0.4);
const people = async (text: string): Promise<string[]> =>
  (await finder.find(text, 0)).map(({ start, end }) => text.slice(start, end));

describe('the names of models are not persons', () => {
  test.each([
    'Claude is a model by Anthropic',
    'claude is a language model',
    'You are Claude, created by Anthropic.',
    'Hey Claude, can you help me?',
    'Hi Claude!',
    "I'm Claude, an AI assistant made by Anthropic.",
    'Claude (an AI assistant by Anthropic) said no.',
    'use claude-3, Claude 3.5 Sonnet or claude-sonnet-4',
    'Claude Code, Claude Opus and Gemini Pro',
    "Anthropic's Claude, Google Gemini and Meta Llama",
    'I asked Claude and Gemini, then Mistral.',
    'Gemini said so. Llama said so. Mistral said so.',
    'You are Devin, an autonomous engineer.',
    'Devin is an AI software engineer by Cognition.',
    'Hey Siri, what time is it?',
    'Alexa, play a song.',
    'Alexa is a voice assistant.',
  ])('%j', async (text) => {
    expect(await people(text)).toEqual([]);
  });
});

describe('a person with the same name is', () => {
  test.each<[string, string[]]>([
    ['Claude Monet painted it.', ['Claude Monet']],
    ['We like Claude Monet and Claude Debussy.', ['Claude Monet', 'Claude Debussy']],
    ['Hey Claude Monet, how are you?', ['Claude Monet']],
    ['my name is Claude Dubois', ['Claude Dubois']],
    ['my name is Claude', ['Claude']],
    ['my name is Gemini', ['Gemini']],
    ['Claude is a fashion model from Paris.', ['Claude']],
    ['Claude is an AI researcher.', ['Claude']],
    ['Dear Claude, please find it attached.', ['Claude']],
    ['Alexa and Devin went home.', ['Alexa', 'Devin']],
    ['Frédéric Mistral met Gemini Rossi.', ['Frédéric Mistral', 'Gemini Rossi']],
    ['Siri Hustvedt wrote it.', ['Siri Hustvedt']],
  ])('%j', async (text, names) => {
    expect(await people(text)).toEqual(names);
  });
});
