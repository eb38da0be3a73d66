import { defineProtocol } from '@svc/sdk/protocol';
import { Type } from 'typebox';
import { DOOR } from './door.ts';
import { GEMINI } from './protocol.ts';

export default defineProtocol({
  type: 'gemini',
  options: Type.Object({}, { additionalProperties: false }),
  create: () => ({ protocol: GEMINI, door: DOOR }),
});
