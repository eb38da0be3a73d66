import { JSON_LIMITS, JsonCounter } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

interface Size {
  values: number;
  keys: number;
  depth: number;
}

/** Counts what the parser returns, independently of the code under test. Members that a repeated key hides are missing. */
function sizeOf(value: unknown): Size {
  if (typeof value !== 'object' || value === null) return { values: 1, keys: 0, depth: 0 };
  const members = Object.values(value).map(sizeOf);
  return {
    values: members.reduce((sum, { values }) => sum + values, 1),
    keys: members.reduce((sum, { keys }) => sum + keys, Array.isArray(value) ? 0 : members.length),
    depth: 1 + Math.max(0, ...members.map(({ depth }) => depth)),
  };
}

function excessOf(json: string, limits: Size, cut = json.length + 1) {
  const counter = new JsonCounter(limits);
  const bytes = new TextEncoder().encode(json);
  counter.begin();
  for (let from = 0; from < bytes.length; from += cut) counter.push(bytes.subarray(from, from + cut));
  return counter.excess;
}

describe('the count of any JSON', () => {
  const written = fc
    .tuple(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'))
    .map(([value, space]) => ({ value, json: ` ${JSON.stringify(value, null, space)}\n` }));

  it('equals what the parser builds, wherever the pieces are cut', () => {
    fc.assert(
      fc.property(written, fc.integer({ min: 1, max: 20 }), ({ value, json }, cut) => {
        // Converted to text first, because a parser returns neither -0 nor symbol keys.
        const size = sizeOf(JSON.parse(JSON.stringify(value)));
        expect(excessOf(json, size, cut)).toBeNull();
        expect(excessOf(json, { ...size, values: size.values - 1 }, cut)).toBe('too_many_values');
        if (size.keys > 0) expect(excessOf(json, { ...size, keys: size.keys - 1 }, cut)).toBe('too_many_keys');
        if (size.depth > 0) expect(excessOf(json, { ...size, depth: size.depth - 1 }, cut)).toBe('nested_too_deep');
      }),
    );
  });

  it('includes values that a repeated key hides, and values before an error', () => {
    expect(excessOf('{"a":1,"a":2}', { values: 2, keys: 9, depth: 9 })).toBe('too_many_values');
    expect(excessOf('[1,2,3,nonsense', { values: 3, keys: 9, depth: 9 })).toBe('too_many_values');
  });
});

it('ignores the content of strings', () => {
  const json = JSON.stringify(['[[[{{{,,,:::\\"\\\\', '\\', '"']);
  expect(excessOf(json, { values: 4, keys: 0, depth: 1 })).toBeNull();
});

it('one counter counts several texts and parsed values together, but the levels of each separately', () => {
  const counter = new JsonCounter({ values: 5, keys: 1, depth: 1 });
  expect(counter.text('[1]')).toBeNull();
  expect(counter.text('[2]')).toBeNull();
  expect(counter.parsed(1, 1)).toBeNull();
  expect(counter.text('3')).toBe('too_many_values');
});

it('stops counting at the limit', () => {
  const counter = new JsonCounter({ ...JSON_LIMITS, values: 10 });
  const endless = new Uint8Array(1_000_000).fill(0x2c);
  let read = 0;
  const piece = new Proxy(endless, {
    get: (target, key) => {
      if (key === 'subarray') read += 1;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  counter.begin();
  expect(counter.push(piece)).toBe('too_many_values');
  expect(read).toBe(1);
});
