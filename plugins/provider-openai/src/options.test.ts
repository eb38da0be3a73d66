import { Value } from 'typebox/value';
import { describe, expect, test } from 'vitest';
import { OpenAiOptions, serverOf } from './options.ts';

function optionsWith(given: Record<string, unknown>): OpenAiOptions {
  const { base_url = 'https://api.example.com/v1', ...rest } = given;
  const options: unknown = Value.Default(OpenAiOptions, {
    ...('base_url' in given && given.base_url === undefined ? {} : { base_url }),
    ...rest,
  });
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
    const { chat, embeddings } = serverOf(optionsWith({ api: 'responses' }));
    expect([chat.path, embeddings.path]).toEqual(['/v1/responses', '/v1/embeddings']);
  });

  test.each([
    ['https://api.example.com', 'https://api.example.com', '/chat/completions'],
    ['https://api.example.com/v1', 'https://api.example.com', '/v1/chat/completions'],
    ['https://api.example.com/v1//', 'https://api.example.com', '/v1/chat/completions'],
    ['http://127.0.0.1:11434/openai/v1/', 'http://127.0.0.1:11434', '/openai/v1/chat/completions'],
  ])('%s', (base_url, origin, path) => expect(serverOf(optionsWith({ base_url })).chat).toMatchObject({ origin, path }));

  test('carries only the headers that are configured', () => {
    expect(serverOf(optionsWith({})).chat.headers).toEqual({});
    expect(serverOf(optionsWith({ api_key: 'k', organization: 'org-1', project: 'proj-1' })).chat.headers).toEqual({
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
    expect(() => serverOf(optionsWith({ base_url }))).toThrow(/^base_url: /);
  });

  test.each(['', 'k3y\n', 'k3 k3y', 'k3yé'])('refuses the key %j without quoting it', (api_key) => {
    expect(() => serverOf(optionsWith({ api_key }))).toThrow(/^api_key: (?!.*k3y)/s);
  });
});

describe('presets', () => {
  const preset = (given: Record<string, unknown>) => serverOf(optionsWith({ base_url: undefined, ...given }));
  test.each([
    [{ preset: 'gemini' }, 'https://generativelanguage.googleapis.com', '/v1beta/openai/chat/completions'],
    [{ preset: 'mistral' }, 'https://api.mistral.ai', '/v1/chat/completions'],
    [{ preset: 'deepseek' }, 'https://api.deepseek.com', '/chat/completions'],
    [{ preset: 'groq', base_url: 'http://127.0.0.1:1/v1' }, 'http://127.0.0.1:1', '/v1/chat/completions'],
    [
      { preset: 'azure', base_url: 'https://r.openai.azure.com/openai/deployments/d', query: { 'api-version': '2024-10-21' } },
      'https://r.openai.azure.com',
      '/openai/deployments/d/chat/completions?api-version=2024-10-21',
    ],
  ])('%o', (given, origin, path) => expect(preset(given).chat).toMatchObject({ origin, path }));

  test('azure sends the bare key in api-key, and a token in authorization', () => {
    const azure = { preset: 'azure', base_url: 'https://r.openai.azure.com/openai/v1' };
    expect(preset({ ...azure, api_key: 'k' }).chat.headers).toEqual({ 'api-key': 'k' });
    const { headers, tokens } = preset({ ...azure, token_file: '/run/token' }).chat;
    expect(headers).toEqual({});
    expect(tokens).toBeDefined();
  });

  test('mistral gets stream_options only if configured', () => {
    expect(preset({ preset: 'mistral' }).takesStreamOptions).toBe(false);
    expect(preset({ preset: 'mistral', stream_options: true }).takesStreamOptions).toBe(true);
    expect(preset({ preset: 'vllm' }).takesStreamOptions).toBe(true);
  });

  test('without an address is refused', () => expect(() => preset({ preset: 'azure' })).toThrow(/^base_url: /));
});

describe('headers and path', () => {
  test('are those that are configured', () => {
    const options = optionsWith({ path: '/chat', headers: { 'X-Title': 'My app' }, api_key: 'k', auth_header: 'X-Key' });
    expect(serverOf(options).chat).toMatchObject({ path: '/v1/chat', headers: { 'X-Title': 'My app', 'X-Key': 'k' } });
  });

  test.each([
    [{ headers: { 'Content-Length': '3' } }, /^headers: /],
    [{ token_file: '/a', token_command: ['b'] }, /^token_command: /],
    [{ token_file: '/a', api_key: 'k' }, /^api_key: /],
    [{ token_refresh_s: 5 }, /^token_refresh_s: /],
  ])('refuses %o', (given, message) => expect(() => serverOf(optionsWith(given))).toThrow(message));

  test.each([
    { headers: { 'a b': 'x' } },
    { headers: { a: 'x\ny' } },
    { path: 'chat' },
    { path: '/chat?x' },
    { token_command: [] },
  ])('the schema refuses %o', (given) => expect(() => optionsWith(given)).toThrow());
});
