import type { Segment } from '@svc/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromPart, fromSpaced, isSplit, type Joint, jointsOf, piecesIn, replacementOf } from './joints.ts';

const partsOf = (texts: readonly string[], content = 'messages.0.content') =>
  texts.map((text, index) => ({
    index,
    text,
    kind: 'text' as const,
    role: 'user',
    path: `${content}.${index}.text`,
    choice: null,
    origin: 'user',
    untrusted: false,
  }));
const jointOf = (texts: readonly string[]): Joint => {
  const [joint] = jointsOf(partsOf(texts));
  if (joint === undefined) throw new Error('one part alone is no joint');
  return joint;
};
const finding = (start: number, end: number) => ({ entity_type: 'X', start, end, score: 1 });
const texts = fc.array(fc.string({ maxLength: 5 }), { minLength: 2, maxLength: 6 });

describe('texts that a model reads as one', () => {
  type Part = readonly [role: string | null, path: string, text: string, kind?: Segment['kind']];
  const joined = (...list: Part[]): string[] =>
    jointsOf(list.map(([role, path, text, kind = 'text']) => ({ role, path, text, kind }))).map(({ texts }) => texts[1]);

  test('are the text parts of a content, whatever is between them', () => {
    expect(
      joined(
        ['user', 'messages.0.content.0.text', 'a'],
        ['user', 'messages.0.name', 'ann', 'name'],
        ['user', 'messages.0.content.1.image_url.url', 'https://x', 'url'],
        ['user', 'messages.0.content.2', 'b'],
        ['assistant', 'messages.1.content', 'alone'],
        [null, 'prediction.content.0.text', 'p'],
        [null, 'prediction.content.1.text', 'q'],
        [null, 'stop.0', 'no'],
        [null, 'stop.1', 'joint'],
      ),
    ).toEqual(['a b', 'p q']);
  });

  test('are those of an answer, separately for each choice and field', () => {
    expect(
      joined(
        ['assistant', 'choices.0.message.content.0.text', 'a'],
        ['assistant', 'choices.0.message.content.1.text', 'b'],
        ['assistant', 'choices.0.message.refusal', 'no'],
        ['assistant', 'choices.1.message.content.0.text', 'c'],
        ['assistant', 'choices.1.message.content.1.text', 'd'],
      ),
    ).toEqual(['a b', 'c d']);
  });

  test('are the parts of a reasoning, separate from the text', () => {
    expect(
      joined(
        ['assistant', 'messages.0.content.0.1.0.text', 'r'],
        ['assistant', 'messages.0.content.0.1.1.text', 's'],
        ['assistant', 'messages.0.content.1.1.0.text', 't'],
        ['assistant', 'messages.0.content.2.text', 'alone'],
        ['assistant', 'messages.0.4.0.text', 'd'],
        ['assistant', 'messages.0.4.1.text', 'e'],
      ),
    ).toEqual(['r s t', 'd e']);
  });

  test('are the messages of one role in a row, including a refusal', () => {
    expect(
      joined(
        ['user', 'messages.0.content', 'a'],
        ['assistant', 'messages.1.content', ' '],
        ['assistant', 'messages.1.name', 'x', 'name'],
        ['system', 'messages.2.content', 'between'],
        ['user', 'messages.3.content.0.text', 'b'],
        ['assistant', 'messages.4.content', 'c'],
        ['assistant', 'messages.4.refusal', 'd'],
        ['user', 'messages.5.content', 'alone'],
        ['assistant', 'messages.6.tool_calls.0.function.name', 'f', 'name'],
        ['user', 'messages.7.content', 'alone'],
      ),
    ).toEqual(['a b', 'c d']);
  });

  test('are all instructions, and no results of tools', () => {
    expect(
      joined(
        ['system', 'messages.0.content', 'a'],
        ['user', 'messages.1.content', 'alone'],
        ['tool', 'messages.2.content', 'alone'],
        ['tool', 'messages.3.content.0.text', 'p'],
        ['tool', 'messages.3.content.1.text', 'q'],
        ['developer', 'messages.4.content.0.text', 'b'],
        ['user', 'messages.5.content', 'alone'],
      ),
    ).toEqual(['a b', 'p q']);
  });

  test('are the blocks of turns and of the system prompt of the Messages API, and no results of tools among them', () => {
    expect(
      joined(
        ['system', 'system.0.text', 'a'],
        ['system', 'system.1.text', 'b'],
        ['user', 'messages.0.content.0.text', 'c'],
        ['user', 'messages.0.content.1.text', 'd'],
        ['user', 'messages.1.content', 'e'],
        ['assistant', 'messages.2.content.0.text', 'f'],
        ['assistant', 'messages.2.content.1.input.0', 'x', 'argument'],
        ['tool', 'messages.2.content.2.content.0.text', 'alone'],
        ['assistant', 'messages.2.content.3.text', 'g'],
        ['assistant', 'messages.3.content.0.text', 'h'],
        ['tool', 'messages.4.content.0.content.0.text', 'p'],
        ['tool', 'messages.4.content.0.content.1.text', 'q'],
        ['tool', 'messages.4.content.1.content', 'alone'],
        ['user', 'messages.4.content.2.text', 'i'],
        ['user', 'messages.4.content.3.text', 'j'],
      ),
    ).toEqual(['a b', 'c d e', 'f g h', 'p q', 'i j']);
  });

  test('are not the texts on both sides of a call', () => {
    expect(
      joined(
        ['user', 'messages.0.content.0.text', 'alone'],
        ['assistant', 'messages.1.content.0.name', 'f', 'name'],
        ['tool', 'messages.2.content.0.content', 'alone'],
        ['user', 'messages.2.content.1.text', 'alone'],
      ),
    ).toEqual([]);
    expect(
      joined(
        ['user', 'input.0.content', 'alone'],
        ['assistant', 'input.1.arguments.0', 'x', 'argument'],
        ['tool', 'input.2.output', 'alone'],
        ['user', 'input.3.content', 'alone'],
      ),
    ).toEqual([]);
  });

  test('are the items of one role in a response, and all instructions', () => {
    expect(
      joined(
        ['system', 'instructions', 'a'],
        ['system', 'input.0.content.0.text', 'b'],
        ['user', 'input.1.content.0.text', 'c'],
        ['user', 'input.1.content.1.text', 'd'],
        ['user', 'input.2.content', 'e'],
        ['assistant', 'input.3.summary.0.text', 'r'],
        ['assistant', 'input.3.summary.1.text', 's'],
        ['assistant', 'input.4.content.0.text', 'alone'],
        ['tool', 'input.5.output.0.text', 'p'],
        ['tool', 'input.5.output.1.text', 'q'],
        ['user', 'input.6.content', 'alone'],
      ),
    ).toEqual(['a b', 'c d e', 'r s', 'p q']);
  });

  test('are all texts of an answer of the Messages API, and those of one item of a response', () => {
    expect(
      joined(
        ['assistant', 'content.0.thinking', 'alone'],
        ['assistant', 'content.1.text', 'a'],
        ['assistant', 'content.2.input.0', 'x', 'argument'],
        ['assistant', 'content.3.text', 'b'],
      ),
    ).toEqual(['a b']);
    expect(
      joined(
        ['assistant', 'output.0.summary.0.text', 'r'],
        ['assistant', 'output.0.summary.1.text', 's'],
        ['assistant', 'output.1.content.0.text', 'a'],
        ['assistant', 'output.1.content.1.text', 'b'],
        ['assistant', 'output.2.content.0.text', 'alone'],
      ),
    ).toEqual(['r s', 'a b']);
  });

  test('do not include thinking that has the place of text', () => {
    const path = (n: number) => ({ role: 'assistant', path: `input.${n}.content.0.text`, text: 'a', kind: 'text' as const });
    expect(jointsOf([path(0), path(1)])).toHaveLength(1);
    expect(jointsOf([{ ...path(0), is_thinking: true }, path(1)])).toEqual([]);
  });

  test('are of one message or of several', () => {
    expect(jointOf(['a', 'b']).of_one).toBe(true);
    const several = ['messages.0.content', 'messages.1.content'].map(
      (path) => ({ role: 'user', path, text: 'a', kind: 'text' }) as const,
    );
    expect(jointsOf(several)[0]?.of_one).toBe(false);
  });
});

test('a finding is reported in pieces that together equal it', () => {
  fc.assert(
    fc.property(texts, fc.nat(30), fc.integer({ min: 1, max: 30 }), (parts, from, length) => {
      const joint = jointOf(parts);
      const [tight, spaced] = joint.texts;
      const found = finding(Math.min(from, tight.length), Math.min(from + length, tight.length));
      if (found.start === found.end) return;
      const pieces = piecesIn(found, joint);
      const said = pieces.map(({ order, start, end }) => parts[order]?.slice(start, end));
      expect(said.join('')).toBe(tight.slice(found.start, found.end));
      expect(said).not.toContain('');
      expect(isSplit(found, joint)).toBe(pieces.length > 1);
      const apart = finding(Math.min(from, spaced.length), Math.min(from + length, spaced.length));
      if (apart.start === apart.end) return;
      const inTight = fromSpaced(apart, joint);
      // Only letters, so that the text itself contains no space.
      const letters = (text: string): string => text.replace(/\s/g, '');
      expect(letters(inTight === null ? '' : tight.slice(inTight.start, inTight.end))).toBe(
        letters(spaced.slice(apart.start, apart.end)),
      );
    }),
  );
});

test('a finding in a part has its place among all findings', () => {
  const joint = jointOf(['ab', '', 'cde']);
  expect(fromPart(finding(1, 3), joint, 2)).toEqual(finding(3, 5));
});

test('the first piece is replaced, and no part becomes empty', () => {
  const pieces = piecesIn(finding(1, 6), jointOf(['ab', 'cd', 'efg']));
  const written = pieces.map((piece, n) =>
    replacementOf(piece, n === 0, '<X>', { text: ['ab', 'cd', 'efg'][piece.order] ?? '' }),
  );
  expect(written).toEqual(['<X>', '<X>', '']);
});
