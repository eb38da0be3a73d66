import { expect, it } from 'vitest';
import { answerId, modelName } from './traced-call.ts';

it.each([
  'chatcmpl-9f2Kq81LmZx03bTt',
  'resp_68e0f6f0c5b08190a2a4f3a2a6d4c9',
  'msg_01XFDUDYJgAACzvnptvVoYEL',
  'gen-1761500000-Ab12Cd34Ef56',
  'chatcmpl-6f1c5c2e-6a57-4f5e-9a2b-0f3d8a7b9c10',
  '6f1c5c2e-6a57-4f5e-9a2b-0f3d8a7b9c10',
  '0af7651916cd43dd8448eb211c80319c',
])('reports the id %s', (id) => {
  expect(answerId(id)).toBe(id);
});

it.each([
  'Ann Lee',
  'ann@example.org',
  'sk-proj-4f9d8a7b6c5e4f3a2b1c',
  'msg',
  'msg_call-ann-lee-at-home',
  `msg_${'a'.repeat(90)}`,
  '',
  7,
  null,
  { id: 'x' },
])('does not report the id %j', (id) => {
  expect(answerId(id)).toBeNull();
});

it.each([
  'gpt-4o-2024-08-06',
  'claude-opus-4-5-20251101',
  'claude-sonnet-4-5@20250929',
  'anthropic.claude-sonnet-4-5-20250929-v1:0',
  'meta-llama/Llama-3.3-70B-Instruct-Turbo',
  'qwen2.5:7b-instruct-q4_K_M',
  'accounts/fireworks/models/llama-v3p1-70b-instruct',
  'gemini-2.5-pro',
  'o3',
])('reports the model %s', (model) => {
  expect(modelName(model)).toBe(model);
});

it.each([
  'Ann Lee',
  'ann@example.org',
  '212-555-0123',
  'call-2125550123',
  'sk-4f9d8a7b6c5e4f3a2b1c4f9d',
  `a${'-b'.repeat(20)}`,
  'gpt-4o\n',
  '',
  4,
  null,
])('does not report the model %j', (model) => {
  expect(modelName(model)).toBeNull();
});
