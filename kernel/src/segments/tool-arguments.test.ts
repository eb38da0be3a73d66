import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ToolArguments } from './tool-arguments.ts';

const AT = { path: 'p', holder: null };

/** What is written of the arguments; null where they are not JSON. */
function written(text: string, numbers: boolean): string | null {
  let put: string | null = null;
  const read = ToolArguments.read(text, numbers, AT, (changed) => {
    put = changed;
  });
  expect(read === null).toBe(put === null);
  return put;
}

function parsed(text: string): unknown {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** JSON as people and models write it, and what is nearly JSON. */
const spaces = fc.constantFrom('', ' ', '\n\t', '\r');
const anyText = fc
  .tuple(fc.json({ maxDepth: 4 }), spaces, spaces)
  .map(([json, before, between]) => before + json.replaceAll(',', `${between},${before}`) + between);
const broken = fc
  .tuple(
    anyText,
    fc.nat(),
    fc.constantFrom('', ',', '"', '\\', '\\u00', ']', '{', ':', '-', '01', '1.', 'tru', '\u0001', '\u00a0', '\ufeff'),
  )
  .map(
    ([json, at, piece]) => json.slice(0, at % (json.length + 1)) + piece + json.slice((at + piece.length) % (json.length + 1)),
  );

it('takes for JSON exactly what the parser takes, and writes the same value', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, broken), fc.boolean(), (text, numbers) => {
      const put = written(text, numbers);
      expect(put === null ? null : parsed(put)).toEqual(parsed(text));
    }),
    { numRuns: 2_000 },
  );
});

it('writes one form: without white space and needless escapes', () => {
  expect(written(' { "a" : [ "\\u0041\\n" , { } , [ ] , null ] } ', false)).toBe('{"a":["A\\n",{},[],null]}');
});

it.each([
  ['{"a":1,"b":2,"a":3}', '{"b":2,"a":3}'],
  ['{"a":{"x":1,"x":2},"a":{"y":1,"y":2}}', '{"a":{"y":2}}'],
  ['{"a":1,"a":2,"a":3}', '{"a":3}'],
  ['[{"a":1,"\\u0061":2},{"a":1}]', '[{"a":2},{"a":1}]'],
  ['{"a":"x, }" , "a" : 1.50}', '{"a":1.50}'],
  ['{"__proto__":1,"__proto__":2}', '{"__proto__":2}'],
])('of a repeated key the last value is left: %s', (text, left) => {
  const read = ToolArguments.read(text, true, AT, () => undefined);
  expect(written(text, true)).toBe(left);
  expect(parsed(left)).toEqual(parsed(text));
  expect(read?.leaves.map(({ slot }) => slot)).toEqual(read?.leaves.map((_, index) => index));
});

it('writes edits of any leaves, in any order, again and again', () => {
  let put = '';
  const read = ToolArguments.read('{"k":[1,"two",3]}', true, AT, (text) => {
    put = text;
  });
  const edit = (index: number, text: string): void => {
    const leaf = read?.leaves[index];
    if (leaf === undefined) throw new Error('no such leaf');
    leaf.text = text;
    leaf.home.write(leaf);
    leaf.home.flush();
  };
  edit(3, '<N>');
  edit(0, 'a "key"');
  edit(2, '"two"');
  expect(put).toBe('{"a \\"key\\"":[1,"\\"two\\"","<N>"]}');
  edit(3, '3');
  expect(put).toBe('{"a \\"key\\"":[1,"\\"two\\"",3]}');
});
