import { CHAT, MESSAGES, RESPONSES } from '@svc/protocols';
import { expect, it } from 'vitest';
import { toolDigest } from './index.ts';

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const [name, description] = ['weather', 'The weather of a city.'];
const bodies = [
  [CHAT, { type: 'function', function: { name, description, parameters: schema } }],
  [MESSAGES, { name, description, input_schema: schema, cache_control: { type: 'ephemeral' } }],
  [RESPONSES, { type: 'function', name, description, parameters: schema, strict: false }],
] as const;
const digests = (tool: object, of = description) =>
  bodies.map(([protocol, own]) => {
    const text = JSON.stringify(tool === bodies ? own : tool).replace(description, of);
    return protocol.tools?.inRequest({ model: 'm', tools: [JSON.parse(text)], messages: [] }).offered.map(toolDigest);
  });

it('is the same in every protocol, and changes with each word', () => {
  const all = digests(bodies).flat();
  expect(new Set(all).size).toBe(1);
  expect(all[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(digests(bodies, 'The weather of a town.').flat()).not.toContain(all[0]);
});

it("does not depend on the order of the definition's keys", () => {
  const [a, b] = [
    { b: [1, { d: 1, c: 2 }], a: 'x' },
    { a: 'x', b: [1, { c: 2, d: 1 }] },
  ];
  expect(toolDigest({ definition: a })).toBe(toolDigest({ definition: b }));
  expect(toolDigest({ definition: a })).not.toBe(toolDigest({ definition: { ...a, a: 'y' } }));
});
