import { type Static, Type } from 'typebox';
import { networkOptions } from '../network/options.ts';

/** Properties for the options schema of a backend that is a {@link clientBackend}. */
export const clientOptions = {
  refresh_s: Type.Integer({
    default: 300,
    minimum: 1,
    maximum: 86_400,
    description: 'How often the gateway reads its secrets again, in seconds.',
  }),
  timeout_ms: Type.Integer({
    default: 5_000,
    minimum: 100,
    maximum: 9_000,
    description: 'Timeout of one read, with its login and its retries.',
  }),
  ...networkOptions,
};

const Options = Type.Object(clientOptions);
export type ClientOptions = Static<typeof Options>;
