import { describe, expect, test } from 'vitest';
import { AnthropicOptions, targetOf } from './options.ts';
import { optionsWith } from './provider-fixture.ts';

describe('schema', () => {
  test('fills the documented defaults', () => {
    expect(optionsWith()).toEqual({
      base_url: 'https://api.anthropic.com',
      max_tokens: 4096,
      anthropic_version: '2023-06-01',
      anthropic_beta: [],
      leave_out: [],
      connections: 2048,
      max_response_bytes: 16_777_216,
    });
  });

  test.each([
    { base_url: 1 },
    { max_tokens: 0 },
    { leave_out: ['model'] },
    { anthropic_version: 'newest' },
    { anthropic_beta: ['a b'] },
    { leave_out: ['top_p', 'top_p'] },
    { connections: 0 },
    { unknown: 1 },
  ])('refuses %o', (given) => expect(() => optionsWith(given)).toThrow());

  test('marks the key as a secret', () => expect(AnthropicOptions.properties.api_key).toMatchObject({ writeOnly: true }));
});

describe('target', () => {
  test.each([
    ['https://api.anthropic.com', '/v1/messages'],
    ['https://api.anthropic.com/', '/v1/messages'],
    ['https://api.anthropic.com/proxy/a/', '/proxy/a/v1/messages'],
  ])('%s', (base_url, path) => {
    expect(targetOf(optionsWith({ base_url }))).toMatchObject({ origin: 'https://api.anthropic.com', path });
  });

  test('carries the key if there is one', () => {
    expect(targetOf(optionsWith()).headers).toEqual({});
    expect(targetOf(optionsWith({ api_key: 'k' })).headers).toEqual({ 'x-api-key': 'k' });
  });

  test.each([
    [{ base_url: 'ftp://x' }, /^base_url: /],
    [{ api_key: 'k3y\n' }, /^api_key: (?!.*k3y)/s],
  ])('refuses %o and names the key', (given, said) => {
    expect(() => targetOf(optionsWith(given))).toThrow(said);
  });
});
