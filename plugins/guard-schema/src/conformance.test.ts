import { guardConformance } from '@svc/sdk/testing';
import { describe, test } from 'vitest';
import schema from './index.ts';
import type { Options } from './options.ts';

const PERSON = {
  type: 'object',
  properties: { name: { type: 'string', pattern: '^[A-Z][a-z]+$' }, tags: { type: 'array', uniqueItems: true } },
  required: ['name'],
  additionalProperties: false,
};
const common = { choices: 'all', allow_no_text: false } as const;
const sets: Record<string, { options: Options; samples: string[]; clean: string[] }> = {
  'any JSON': {
    options: { ...common, verdict: 'block' },
    samples: ['this is a sentence', '{"a": 1', '{"a": 1} and more', '```json\n{}\n```', '\n \n'],
    clean: ['{"a": [1, null]}', ' "text" ', '0'],
  },
  'a schema, with approval': {
    options: { ...common, verdict: 'require_approval', schema: PERSON },
    samples: [
      '{"name": "ada lovelace"}',
      '{"Name of somebody": "Ada"}',
      '{"name": "Ada", "tags": [{"a":1,"b":2},{"b":2,"a":1}]}',
      '["Ada"]',
    ],
    clean: ['{"name": "Ada"}', '{"name":"Ada","tags":[1,"1",[1],{"a":1},{"a":2}]}'],
  },
};

describe.each(Object.entries(sets))('guard conformance of %s', (_, { options, samples, clean }) => {
  for (const { name, run } of guardConformance({ guard: (deps) => schema.create(options, deps), samples, clean }))
    test(name, run);
});
