import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finderConformance } from '../testing/index.ts';
import type { Finder } from './finder.ts';
import type { Found } from './found.ts';
import { MaskedChannel } from './masked-channel.ts';
import { MAX_WEIGHED, withoutOverlaps } from './overlaps.ts';
import { searchWith } from './search.ts';

/** Runs of up to 12 digits with single spaces, with a higher score after a `k`; and pairs `ab`, which overlap `ba` and each other. */
const digits: Finder = {
  context: 8,
  reach: 25,
  find(text, from) {
    const found: Found[] = [];
    for (const { index, 0: run } of text.matchAll(/(?<!\d ?)\d(?: ?\d){0,30}/g)) {
      if (index < from || run.length > 23) continue;
      const sure = /k[^\d]{0,4}$/.test(text.slice(Math.max(0, index - 6), index));
      found.push({ entity_type: 'RUN', start: index, end: index + run.length, score: sure ? 0.9 : 0.5 });
    }
    for (let at = from; at < text.length; at++) {
      if (/^(?:ab|ba|a1)/.test(text.slice(at, at + 2))) found.push({ entity_type: 'PAIR', start: at, end: at + 2, score: 0.6 });
      if (/^b{3}/.test(text.slice(at, at + 3))) found.push({ entity_type: 'THREE', start: at, end: at + 3, score: 0.4 });
    }
    return found;
  },
  openFrom(text, from) {
    const tail = /(?:\d(?: ?\d)* ?|[ab]{1,2})$/.exec(text)?.[0].length ?? 0;
    const letters = /[ab]{1,2}\d[\d ]*$/.exec(text)?.[0].length ?? 0;
    return Math.max(from, text.length - Math.max(tail, letters));
  },
};

/** The same finder, but asynchronous. */
const later: Finder = { ...digits, find: async (text, from) => digits.find(text, from) };

const mark = ({ entity_type, score }: Found, value: string): string => `[${entity_type} ${score} ${value}]`;

async function whole(finder: Finder, text: string): Promise<string> {
  let masked = '';
  let from = 0;
  for (const finding of withoutOverlaps(await finder.find(text, 0), text.length)) {
    masked += text.slice(from, finding.start) + mark(finding, text.slice(finding.start, finding.end));
    from = finding.end;
  }
  return masked + text.slice(from);
}

const unit = fc.constantFrom('a', 'b', 'ab', 'bbb', 'k ', '1', '2 3', ' ', '-', '😀', 'x', '12345');
const texts = fc.array(unit, { maxLength: 60 }).map((units) => units.join(''));
const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 });

function pieces(text: string, wanted: readonly number[]): string[] {
  const cut: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const end = at + (wanted[turn % wanted.length] ?? 1);
    const piece = text.slice(at, end).isWellFormed() ? text.slice(at, end) : text.slice(at, end + 1);
    cut.push(piece);
    at += piece.length;
  }
  return cut;
}

describe('finder conformance refuses', () => {
  const failing = async (change: Partial<Finder>): Promise<string[]> => {
    const names: string[] = [];
    for (const { name, run } of finderConformance({
      finder: { ...digits, ...change },
      texts: ['k 12 34-5 ab1 abab 1', 'k ab 7'],
    })) {
      await run().catch(() => names.push(name));
    }
    return names;
  };

  test('a finder that is sure too early', async () => {
    expect(await failing({ openFrom: (text) => text.length })).toContain('is certain only of what more text cannot change');
  });

  test('a finder that needs more context than it says', async () => {
    expect(await failing({ context: 0 })).toContain('does not depend on text before its context');
  });

  test('a finder that reaches further than it says', async () => {
    expect(await failing({ reach: 2 })).toContain('finds places within the text that are not longer than its reach');
  });
});

describe('a masked channel', () => {
  for (const { name, run } of finderConformance({ finder: digits, texts: ['k 12 34-5 ab1 abab bbbba1 2', '1 2 3 4 5 6'] })) {
    test(`of a finder that ${name}`, run);
  }

  test.each([
    ['at once', digits],
    ['later', later],
  ])('releases the same as for the whole text, with a finder that answers %s', async (_, finder) => {
    await fc.assert(
      fc.asyncProperty(texts, lengths, async (text, wanted) => {
        const channel = new MaskedChannel([searchWith(finder)], mark);
        let released = '';
        for (const piece of pieces(text, wanted)) {
          const step = await channel.push(piece);
          expect(step.isWellFormed()).toBe(true);
          released += step;
        }
        expect(released + (await channel.end())).toBe(await whole(finder, text));
      }),
    );
  });

  test('of several searches waits for the slowest one', async () => {
    const slow: Finder = { ...digits, find: () => [], openFrom: (_, from) => from };
    await fc.assert(
      fc.asyncProperty(texts, lengths, async (text, wanted) => {
        const channel = new MaskedChannel([searchWith(slow), searchWith(later), searchWith(slow)], mark);
        let released = '';
        for (const piece of pieces(text, wanted)) released += await channel.push(piece);
        expect(released + (await channel.end())).toBe(await whole(digits, text));
      }),
    );
  });

  test('leaves text that the mask does not replace', async () => {
    const channel = new MaskedChannel([searchWith(digits)], () => null);
    expect(`${await channel.push('k 12 3')}${await channel.end()}`).toBe('k 12 3');
  });

  test('holds back at most the reach and one group of overlaps, whatever the finder returns', async () => {
    const endless: Finder = {
      context: 0,
      reach: 4,
      find: (text, from) =>
        Array.from({ length: Math.max(0, text.length - from) }, (_, index) => ({
          entity_type: 'ANY',
          start: from + index,
          end: Math.min(text.length, from + index + 4),
          score: 0.5,
        })),
      openFrom: (_, from) => from,
    };
    const channel = new MaskedChannel([searchWith(endless)], mark);
    let most = 0;
    for (const letter of 'x'.repeat(3000)) {
      await channel.push(letter);
      most = Math.max(most, channel.held);
    }
    expect(most).toBeLessThanOrEqual(MAX_WEIGHED + 2 * endless.reach);
  });
});
