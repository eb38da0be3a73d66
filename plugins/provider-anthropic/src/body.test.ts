import { expect, test } from 'vitest';
import { bodyOf } from './body.ts';
import { REQUEST } from './provider-fixture.ts';

const OPTIONS = { max_tokens: 4096, leave_out: [] };
const image = (media_type: string) => ({ type: 'image', source: { type: 'base64', media_type, data: 'QUJD' } });

test('an image gets the type that the API accepts, also in a tool result; everything else stays', () => {
  const call = { type: 'tool_use', id: 't', name: 'f', input: { source: { media_type: 'image/jpg' } } };
  const asked = (type: string) => [
    { role: 'user', content: [image(type), { type: 'text', text: 'image/jpg' }] },
    { role: 'assistant', content: [call] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [image(type)] }] },
  ];
  const { body } = bodyOf({ ...REQUEST, messages: asked('image/jpg') }, OPTIONS);
  expect(body.messages).toEqual(asked('image/jpeg'));
});
