import { defineProvider } from '@svc/sdk';
import { Type } from 'typebox';
import { echoProvider } from './provider.ts';

export default defineProvider({
  type: 'echo',
  options: Type.Object(
    {
      words_per_second: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1000,
          description: 'Speed of a stream, for demos. Default: no delay.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  create: ({ words_per_second = null }, deps) => echoProvider(deps.clock, words_per_second),
});
