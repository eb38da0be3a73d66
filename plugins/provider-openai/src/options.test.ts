import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { OpenAiOptions, targetsOf } from './options.ts';

function optionsWith(given: Record<string, unknown>): OpenAiOptions {
  const options: unknown = Value.Default(OpenAiOptions, { base_url: 'https://api.example.com/v1', ...given });
  Value.Assert(OpenAiOptions, options);
  return options;
}

describe('schema', () => {
  test('fills the documented defaults', () => {
    expect(optionsWith({})).toEqual({
      base_url: 'https://api.example.com/v1',
      api: 'chat_completions',
      extensions: [],
      connections: 2048,
      max_response_bytes: 16_777_216,
    });
  });

  test.each([
    { base_url: 1 },
    { api: 'chat' },
    { connections: 0 },
    { max_response_bytes: 10 },
    { organization: 'two words' },
    { project: 'a\nb: c' },
    { unknown: 1 },
  ])('refuses %o', (given) => expect(() => optionsWith(given)).toThrow());

  test('marks the key as a secret', () => expect(OpenAiOptions.properties.api_key).toMatchObject({ writeOnly: true }));
});

describe('target', () => {
  test('of the Responses API', () => {
    const { chat, embeddings } = targetsOf(optionsWith({ api: 'responses' }));
    expect([chat.path, embeddings.path]).toEqual(['/v1/responses', '/v1/embeddings']);
  });

  test.each([
    ['https://api.example.com', 'https://api.example.com', '/chat/completions'],
    ['https://api.example.com/v1', 'https://api.example.com', '/v1/chat/completions'],
    ['https://api.example.com/v1//', 'https://api.example.com', '/v1/chat/completions'],
    ['http://127.0.0.1:11434/openai/v1/', 'http://127.0.0.1:11434', '/openai/v1/chat/completions'],
  ])('%s', (base_url, origin, path) => expect(targetsOf(optionsWith({ base_url })).chat).toMatchObject({ origin, path }));

  test('carries only the headers that are configured', () => {
    expect(targetsOf(optionsWith({})).chat.headers).toEqual({});
    expect(targetsOf(optionsWith({ api_key: 'k', organization: 'org-1', project: 'proj-1' })).chat.headers).toEqual({
      authorization: 'Bearer k',
      'openai-organization': 'org-1',
      'openai-project': 'proj-1',
    });
  });

  test.each([
    'api.example.com/v1',
    'ftp://api.example.com',
    'unix:/var/run/llm.sock',
    'https://user@api.example.com',
    'https://:secret@api.example.com',
    'https://api.example.com/v1?version=1',
    'https://api.example.com/v1#a',
    '',
  ])('refuses the base URL %o and names the key', (base_url) => {
    expect(() => targetsOf(optionsWith({ base_url }))).toThrow(/^base_url: /);
  });

  test.each(['', 'k3y\n', 'k3 k3y', 'k3yé'])('refuses the key %j without quoting it', (api_key) => {
    expect(() => targetsOf(optionsWith({ api_key }))).toThrow(/^api_key: (?!.*k3y)/s);
  });
});
