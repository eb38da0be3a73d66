import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SseEvent, SseParser } from './sse.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

function parse(pieces: Iterable<Uint8Array>, limit = 1_000): SseEvent[] {
  const parser = new SseParser(limit);
  return [...pieces].flatMap((piece) => parser.push(piece));
}

function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const edges = [0, ...at.map((edge) => edge % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

/** The standard's algorithm over a whole stream, written as simply as possible. */
function expected(bytes: Uint8Array): SseEvent[] {
  const lines = new TextDecoder()
    .decode(bytes)
    .split(/\r\n|\r|\n/)
    .slice(0, -1);
  const events: SseEvent[] = [];
  let type = '';
  let data = '';
  for (const line of lines) {
    if (line === '') {
      if (data !== '') events.push({ type: type === '' ? 'message' : type, data: data.slice(0, -1) });
      type = '';
      data = '';
    } else if (!line.startsWith(':')) {
      const [field, ...rest] = line.split(':');
      const value = rest.join(':').replace(/^ /, '');
      if (field === 'event') type = value;
      if (field === 'data') data += `${value}\n`;
    }
  }
  return events;
}

const streamText = fc
  .array(
    fc.constantFrom(
      'data:',
      'data: ',
      'data',
      'event: ',
      'event',
      ':',
      ': ping',
      'id: 7',
      'retry: 1',
      ' ',
      'x',
      '\uFEFF',
      'é',
      '日',
      '👩‍💻',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\r\n\r\n',
    ),
    { maxLength: 40 },
  )
  .map((parts) => utf8(parts.join('')));
const cuts = fc.array(fc.nat(), { maxLength: 12 });

describe('laws', () => {
  test('any cutting of a stream gives the events of the standard', () => {
    fc.assert(
      fc.property(streamText, cuts, (bytes, at) => {
        expect(parse(cut(bytes, at))).toEqual(expected(bytes));
      }),
      // A random cut rarely falls between the two characters of a line ending.
      { numRuns: 5_000 },
    );
  });

  test('byte by byte gives the same events as at once', () => {
    fc.assert(
      fc.property(streamText, (bytes) => {
        expect(parse(cut(bytes, [...bytes.keys()]))).toEqual(expected(bytes));
      }),
    );
  });

  test('bytes that are not UTF-8 are cut like any others', () => {
    const bytes = fc.array(fc.oneof(fc.constantFrom(0x0a, 0x0d, 0x3a, 0x64, 0xef, 0xbb, 0xbf, 0xf0), fc.nat(255))).map((list) => {
      return new Uint8Array([...utf8('data: '), ...list, ...utf8('\n\n')]);
    });
    fc.assert(
      fc.property(bytes, cuts, (whole, at) => {
        expect(parse(cut(whole, at))).toEqual(parse([whole]));
      }),
    );
  });
});

describe('the standard', () => {
  test.each<[string, string, SseEvent[]]>([
    ['several lines of data', 'data: a\ndata: b\n\n', [{ type: 'message', data: 'a\nb' }]],
    [
      'one space off, not two',
      'data:  a\n\ndata:b\n\n',
      [
        { type: 'message', data: ' a' },
        { type: 'message', data: 'b' },
      ],
    ],
    [
      'empty data',
      'data\n\ndata:\n\n',
      [
        { type: 'message', data: '' },
        { type: 'message', data: '' },
      ],
    ],
    ['no data, no event', 'event: x\n\n: ping\n\n', []],
    [
      'a type holds for one event',
      'event: error\ndata: 1\n\ndata: 2\n\n',
      [
        { type: 'error', data: '1' },
        { type: 'message', data: '2' },
      ],
    ],
    ['a byte order mark at the start', '\uFEFFdata: a\n\n', [{ type: 'message', data: 'a' }]],
    ['a second byte order mark is text', '\uFEFF\uFEFFdata: a\n\n', []],
    ['an unfinished event', 'data: a\n\ndata: b\n', [{ type: 'message', data: 'a' }]],
  ])('%s', (_name, text, events) => expect(parse([utf8(text)])).toEqual(events));

  test('an event is returned with its blank line, not later', () => {
    const parser = new SseParser(1_000);
    expect(parser.push(utf8('data: a\r'))).toEqual([]);
    expect(parser.push(utf8('\n\r'))).toEqual([{ type: 'message', data: 'a' }]);
    expect(parser.push(utf8('\n'))).toEqual([]);
  });
});

describe('the limit', () => {
  test.each([
    ['a line without an end', ['data: aaaaaaaaaaaaaaa']],
    ['a line in pieces', ['data: aaaa', 'aaaaa', 'aaaaa', 'aaaa']],
    ['a line with an end', ['data: aaaaaaaaaaaaaaaaa\n\n']],
    ['many lines of data', ['data:\n'.repeat(20)]],
  ])('refuses %s', (_name, pieces) => {
    expect(() => parse(pieces.map(utf8), 16)).toThrow(expect.objectContaining({ kind: 'malformed' }));
  });

  test.each(['data\n', 'data: a\r', 'data:\r\n'])('refuses too many lines of %j in one event', (line) => {
    const parser = new SseParser(1_000_000);
    expect(() => {
      for (let n = 0; n < 11; n += 1) parser.push(utf8(line.repeat(1_000)));
    }).toThrow(expect.objectContaining({ kind: 'malformed' }));
  });

  test('of lines applies to data, for each event', () => {
    const parser = new SseParser(1_000_000);
    const event = `${'data\n'.repeat(1_000)}\n`;
    for (let n = 0; n < 11; n += 1) expect(parser.push(utf8(event))).toHaveLength(1);
    for (let n = 0; n < 11; n += 1) expect(parser.push(utf8(': x\n\n'.repeat(1_000)))).toEqual([]);
  });

  test('does not apply to data that is not kept', () => {
    expect(parse([': aaaaaaaaaaaaaaaaaaa', 'aaaaaaaaaaaa\n', 'data: a\n\n'].map(utf8), 16)).toHaveLength(1);
  });

  test('applies to one event, not to the stream', () => {
    expect(parse([utf8('data: 1234567890\n\n'.repeat(50))], 16)).toHaveLength(50);
  });
});
