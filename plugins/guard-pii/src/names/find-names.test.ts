import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Found } from '../text/found.ts';
import { findNames } from './find-names.ts';
import { nameOpenFrom } from './name-open-from.ts';

const BOTH = new Set(['PERSON', 'LOCATION']);
const people = (text: string) => named(text, 'PERSON');

function named(text: string, entity: string): string[] {
  return findNames(text, BOTH)
    .filter(({ entity_type }) => entity_type === entity)
    .map(({ start, end }) => text.slice(start, end));
}

describe('names of people', () => {
  test.each<[string, string[]]>([
    ['My name is Maria Kowalska.', ['Maria Kowalska']],
    ['my name is john smith and i want a refund', ['john smith']],
    ['Dear Dr. Nakamura,', ['Nakamura']],
    ['Hi Anna, please ask Mr. Horvath about it.', ['Anna', 'Horvath']],
    ["I met Maria's brother at the station.", ['Maria']],
    ['I met Maria’s brother at the station.', ['Maria']],
    ['written by J. R. Bennett and Anne-Marie Dubois', ['J. R. Bennett', 'Anne-Marie Dubois']],
    ["Ask Sinéad O'Brien or Carlos de la Cruz.", ["Sinéad O'Brien", 'Carlos de la Cruz']],
    ['Kind regards,\nJohanna van der Berg\nSales manager', ['Johanna van der Berg']],
    ['From: Łukasz Wiśniewski <l@example.com>', ['Łukasz Wiśniewski']],
    ['Name: PETRA LINDQVIST', ['PETRA LINDQVIST']],
    ['We invited Ana, Pedro, Jürgen and Zoë.', ['Ana', 'Pedro', 'Jürgen', 'Zoë']],
    ['Иван Петров позвонил.', ['Иван Петров']],
    ['Martin Luther King Jr. spoke.', ['Martin Luther King Jr']],
    ['Yesterday Mark told Grant that Bill left.', ['Mark', 'Grant', 'Bill']],
    ['- Ruth DeSand, LeRoy McDonald (author)', ['Ruth DeSand', 'LeRoy McDonald']],
    ["{ firstName: 'Matteo', author: 'Ann Lee' }", ['Matteo', 'Ann Lee']],
    ['my name is max', ['max']],
    ['Koppány: "Who are you?"\nAnna: 42, and you?', ['Koppány', 'Anna']],
    ['name: anne-marie', ['anne-marie']],
    ['Ann Lee     sales\nBob Miller   office', ['Ann Lee', 'Bob Miller']],
  ])('%j', (text, names) => {
    expect(people(text)).toEqual(names);
  });

  test.each([
    'The quick brown fox jumps over the lazy dog.',
    'Install Docker and run Kubernetes on Linux.',
    'Please send it on Monday or in March.',
    '# Getting Started\n\nFirst, install the package. Then run the tests.',
    'contact maria@example.com or @maria or https://example.com/Maria',
    'i am happy and you will be fine',
    "Use Bash, Python or pip; MCP servers and TUI tools are listed. Don't edit by hand.",
    '- Don’t cram unrelated keywords\n- Won’t fix',
    'When starting work on a task - Mark it as in_progress. Grant all, then Mark `done` as done.',
    'Mark the task as completed',
    'func (s byAge) Len() int { return len(s) }',
    '"AWS::Athena::WorkGroup": "98125aa5"',
    'ADAMS   = 0x8',
    '"mappings":"AAAA,SAAS,CAAC,UAAU,CAAC,IAAI,EAAE,MACA,UAAU,CAAC"',
    'const { max, len } = param; if (len(name) > max(dev)) raise TypeError("x")',
    'from typing import Dict, Tuple\ndef f(x: Tuple[int], name: str) -> Dict: ...\n  elif hasattr(meta):',
    'type Rusage struct {\n\tStime    Timespec\n\tMtim     Timespec\n\tIov      *Iovec\n\tNext     *Martin\n}',
    'func Marshal(v any) ([]Stringer, error) { lis, err := net.Listen(Elt); Ty->size(); ok }',
    'p := Msg{\n\tErrmsg:     "Process terminated",\n\tSrcfile:  42,\n}',
    'metadata:\n  name: ekm-viewer\nspec:\n  name: rootfs-uuid',
    'type A = RegExpLiteral | OAuthClient | NumPyArray;\n  AwaitExpression,\n  ImportSpecifier,',
    '/**\n * Header param: Optional.\n * Serializes JSON.\n * Provider-specific options.\n */',
    '',
  ])('none in %j', (text) => {
    expect(people(text)).toEqual([]);
  });

  test('only what is asked for', () => {
    expect(findNames('Anna lives in Paris.', new Set(['EMAIL_ADDRESS']))).toEqual([]);
    expect(
      findNames('My name is Anna and I live in Paris.', new Set(['LOCATION'])).map(({ entity_type }) => entity_type),
    ).toEqual(['LOCATION']);
  });
});

test('names of places', () => {
  expect(named('I moved from Warsaw to New York, in the United States.', 'LOCATION')).toEqual([
    'Warsaw',
    'New York',
    'United States',
  ]);
});

/** Fragments of names, cues, and separators that must or must not split a name. */
const piece = fc.constantFrom(
  ...[
    'Maria',
    'John',
    'Smith',
    'Katrine T.',
    'J.',
    'R',
    'O',
    "'Brien",
    "'",
    "'s",
    '’',
    'Anne',
    '-',
    'van',
    'der',
    'de',
    'la',
    'Jr',
    'II',
  ],
  ...[
    'my',
    'name',
    'is',
    ':',
    'Name',
    'john',
    'smith',
    'hi',
    'Dr',
    'Mr.',
    'and',
    'the',
    'The',
    'in',
    'Paris',
    'United States',
    'of',
  ],
  ...[
    ' ',
    ' ',
    ' ',
    ' ',
    '  ',
    '   ',
    '\n',
    '\n\n',
    ' '.repeat(35),
    `\n${' '.repeat(180)}`,
    ',',
    '.',
    '@',
    '/',
    '(',
    '[',
    '`',
    '1',
    '1234567',
    'é',
    '\u0301',
    '😀',
    '机',
    'Иван',
  ],
  ...[
    'a'.repeat(33),
    'A',
    'x',
    's',
    'AAAA',
    'Aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    'b'.repeat(60),
    'Wolfeschlegelsteinhausenberg',
    'della',
  ],
);
const MANY = { maxLength: 90, size: 'max' } as const;
const anyText = fc.oneof(
  fc.array(piece, MANY).map((pieces) => pieces.join('')),
  fc.array(piece, MANY).map((pieces) => pieces.join(' ')),
  fc
    .array(
      fc.constantFrom('Maria', 'John', 'Smith', 'de', 'la', 'della', 'van', 'J.', 'II', ',', 'Wolfeschlegelsteinhausenberg'),
      MANY,
    )
    .map((pieces) => pieces.join(' ')),
  fc.string({ unit: 'grapheme', maxLength: 200, size: 'max' }),
);

describe('a name at the end of a text', () => {
  test.each([
    ['my name is Jo', 11],
    ['my name is John ', 11],
    ['my name is John Smith', 11],
    ['it is about the end. ', 21],
  ])('%j is open from %i', (text, from) => {
    expect(nameOpenFrom(text)).toBe(from);
  });

  test('is found as in the whole text, whatever the pieces it comes in', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }), (text, lengths) => {
        expect(streamed(text, lengths)).toEqual(findNames(text, BOTH));
      }),
    );
  });

  test.each(['Maria ', 'Aa', 'A ', ' ', 'de ', 'J.', "Maria'", 'Maria de la ', '机', '\n', 'hi maria '])(
    'is not waited for in a flood of %j',
    (unit) => {
      for (let length = 500; length < 500 + 2 * unit.length; length++) {
        const text = unit.repeat(700).slice(0, length);
        expect(length - nameOpenFrom(text)).toBeLessThanOrEqual(200);
      }
    },
  );
});

test('a name rests on 160 characters to its left', () => {
  const long = fc.array(anyText, { minLength: 1, maxLength: 4 }).map((texts) => texts.join(' '));
  fc.assert(
    fc.property(long, fc.nat(), (text, place) => {
      const at = place % (text.length + 1);
      const from = Math.max(0, at - 160);
      const placed = findNames(text.slice(from), BOTH).map((name) => ({
        ...name,
        start: name.start + from,
        end: name.end + from,
      }));
      const behind = ({ start }: Found) => start >= at;
      expect(placed.filter(behind)).toEqual(findNames(text, BOTH).filter(behind));
    }),
  );
});

/** After each piece, text is released up to the start of an open name. The last 160 released characters are kept as context. */
function streamed(text: string, lengths: readonly number[]): Found[] {
  const found: Found[] = [];
  let released = 0;
  for (let [end, turn] = [0, 0]; end < text.length; turn++) {
    end = Math.min(text.length, end + (lengths[turn % lengths.length] ?? 1));
    const from = Math.max(0, released - 160);
    const window = text.slice(from, end);
    const open = end === text.length ? end : Math.max(released, from + nameOpenFrom(window));
    for (const name of findNames(window, BOTH)) {
      const placed = { ...name, start: name.start + from, end: name.end + from };
      if (placed.start >= released && placed.end <= open) found.push(placed);
    }
    released = open;
  }
  return found;
}
