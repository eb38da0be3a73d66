import { finished, type Steps } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonText } from './json-text.ts';
import type { Leaf } from './leaf.ts';

/** A leaf with this text, and the texts that were written to it. */
function textOf(text: string): { leaf: Leaf; puts: string[] } {
  const puts: string[] = [];
  const home = {
    write: (leaf: Leaf) => void puts.push(leaf.text),
    *flush(): Steps<null> {
      yield;
      return null;
    },
  };
  return {
    leaf: {
      text,
      kind: 'text',
      is_number: false,
      path: 'p',
      holder: null,
      role: null,
      is_thinking: false,
      origin: null,
      home,
      slot: 0,
    },
    puts,
  };
}

/** The text as written in normal form. Null if the input is not JSON. */
function written(text: string, numbers: boolean): string | null {
  const { leaf, puts } = textOf(text);
  const read = JsonText.read(leaf, { numbers, form: 'normal' });
  expect(read === null).toBe(puts.length === 0);
  return puts[0] ?? null;
}

function parsed(text: string): unknown {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}

/** JSON as people and models write it, and text that is almost JSON. */
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

it('accepts exactly what the parser accepts, and writes the same value', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, broken), fc.boolean(), (text, numbers) => {
      const put = written(text, numbers);
      expect(put === null ? null : parsed(put)).toEqual(parsed(text));
    }),
    // Broken JSON is rarely still valid, so this needs many runs.
    { numRuns: 2_000 },
  );
});

it.each(['[NaN]', '-Infinity', '{}\n{}'])('in normal form, %s is not JSON', (text) => expect(written(text, true)).toBeNull());

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
  const read = JsonText.read(textOf(text).leaf, { numbers: true, form: 'normal' });
  expect(written(text, true)).toBe(left);
  expect(parsed(left)).toEqual(parsed(text));
  expect(read?.leaves.map(({ slot }) => slot)).toEqual(read?.leaves.map((_, index) => index));
});

it('writes edits of any leaves, in any order, again and again', () => {
  const { leaf: whole } = textOf('{"k":[1,"two",3]}');
  const read = JsonText.read(whole, { numbers: true, form: 'normal' });
  const edit = (index: number, text: string): void => {
    const leaf = read?.leaves[index];
    if (leaf === undefined) throw new Error('no such leaf');
    leaf.text = text;
    leaf.home.write(leaf);
    finished(leaf.home.flush());
  };
  edit(3, '<N>');
  edit(0, 'a "key"');
  edit(2, '"two"');
  expect(whole.text).toBe('{"a \\"key\\"":[1,"\\"two\\"","<N>"]}');
  edit(3, '3');
  expect(whole.text).toBe('{"a \\"key\\"":[1,"\\"two\\"",3]}');
});

describe('in verbatim form', () => {
  const leavesOf = (whole: Leaf): readonly Leaf[] => JsonText.read(whole, { numbers: true, form: 'verbatim' })?.leaves ?? [];

  it('every value is a leaf, even that of a repeated key, and nothing is written', () => {
    const { leaf, puts } = textOf(' {"a": "\\u00fc", "a" :[1.50]}\n');
    expect(leavesOf(leaf).map(({ text, path }) => `${text} ${path}`)).toEqual(['a p.0', 'ü p.0', 'a p.1', '1.50 p.1.0']);
    expect(puts).toEqual([]);
  });

  it('masked JSON still parses, and every other value keeps its bytes', () => {
    const edits = fc.array(fc.tuple(fc.nat(), fc.string()), { maxLength: 5 });
    fc.assert(
      fc.property(anyText, edits, (text, changes) => {
        fc.pre(parsed(text) !== null);
        const { leaf } = textOf(text);
        const leaves = leavesOf(leaf);
        const changed = new Map(changes.flatMap(([at, by]) => (leaves.length === 0 ? [] : [[at % leaves.length, by] as const])));
        for (const [at, by] of changed) {
          const own = leaves[at];
          if (own === undefined) continue;
          own.text = by;
          own.home.write(own);
        }
        if (changed.size > 0) finished((leaves[0] as Leaf).home.flush());
        else expect(leaf.text).toBe(text);
        expect(parsed(leaf.text)).not.toBeNull();
        expect(leavesOf(leaf).map((own) => own.text)).toEqual(leaves.map((own) => own.text));
      }),
    );
  });
});
