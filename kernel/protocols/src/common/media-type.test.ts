import { expect, test } from 'vitest';
import { MESSAGES } from '../messages.ts';
import { mediaType } from './media-type.ts';

test.each([
  ['image/jpg', 'image/jpeg'],
  ['IMAGE/JPG', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['image/webp', 'image/webp'],
  ['application/x-own', 'application/x-own'],
])('%s has the type %s', (type, known) => expect(mediaType(type)).toBe(known));

test.each(['image/jpg', 'IMAGE/JPEG', 'image/jpeg;charset=utf-8'])('an image of the type %s goes to the Messages API', (type) => {
  const content = [{ type: 'image_url', image_url: { url: `data:${type};base64,QUJD` } }];
  const { body } = MESSAGES.bridge.requestFromChat({ model: 'm', messages: [{ role: 'user', content }] });
  expect(body.messages).toEqual([
    { role: 'user', content: [{ type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'QUJD' } }] },
  ]);
});
