import { SOURCES } from '@svc/toolkit/segments';
import { type Static, Type } from 'typebox';

const threshold = (description: string) => Type.Number({ minimum: 0.001, maximum: 1, description });

const Label = Type.Object(
  { threshold: Type.Optional(threshold('The lowest score that counts. Default: `threshold` of the guard.')) },
  { additionalProperties: false },
);

export const Options = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      description:
        'Folder of the model, with `model.onnx`, `tokenizer.json` and `config.json`. A relative path is resolved from the folder of the configuration.',
    }),
    sha256: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Digest of the files of the model. The gateway refuses to start with other files.',
    }),
    labels: Type.Record(Type.String({ pattern: '^[\\x20-\\x7e]{1,64}$' }), Label, {
      minProperties: 1,
      additionalProperties: false,
      description: 'The labels that count, by their names in `id2label` of `config.json`.',
    }),
    threshold: { ...threshold('The lowest score that counts, from 0 to 1.'), default: 0.5 },
    verdict: Type.Enum(['block', 'require_approval'], {
      default: 'block',
      description: 'What happens when a label of a text reaches its threshold.',
    }),
    roles: Type.Array(Type.Enum([...SOURCES]), {
      minItems: 1,
      uniqueItems: true,
      default: ['user', 'tool', 'tool_calls', 'request'],
      description:
        'The texts of a request to check. `tool`: results of tools; `tool_calls`: names and arguments of tool calls; `assistant`: earlier answers; `system`: system and developer messages; `request`: texts outside messages, such as descriptions of tools. In `egress`, all texts of the answer are checked.',
    }),
    max_tokens: Type.Integer({
      minimum: 16,
      maximum: 8192,
      default: 512,
      description: "Maximum tokens per model run. If the model's own limit is lower, that limit applies.",
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
