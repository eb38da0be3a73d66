import { defineProvider } from '@svc/sdk/plugin';
import { Type } from 'typebox';
import { echoProvider } from './provider.ts';

export default defineProvider({
  type: 'echo',
  options: Type.Object({}, { additionalProperties: false }),
  create: (_options, deps) => echoProvider(deps.clock),
});
