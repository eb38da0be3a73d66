import { Type } from 'typebox';

/** The option `restore` of masking guards. */
export const RestoreOption = Type.Union([Type.Boolean(), Type.Literal('all')], {
  default: false,
  description:
    "Which values are restored in the answer. `true`: those of the caller's messages. `all`: also those that occur only in system messages, tool definitions or elsewhere in the request.",
});
