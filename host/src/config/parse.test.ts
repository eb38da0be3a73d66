import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseYaml } from './parse.ts';

describe('parseYaml', () => {
  it('reads JSON as YAML: every JSON object is read unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ stringUnit: 'binary' })), (object) => {
        const json: unknown = JSON.parse(JSON.stringify(object));
        expect(parseYaml(JSON.stringify(object)).value).toEqual(json);
      }),
    );
  });

  it.each([
    ['a key twice', 'a: 1\nb: 2\na: 3\n', 3, 1],
    ['a key twice in JSON', '{"a": 1, "a": 2}', 1, 10],
    ['a number and the same as text', '1: a\n"1": b\n', 2, 1],
    ['two documents', 'a: 1\n---\nb: 2\n', 2, 1],
    ['a list as a key', '? [a]\n: 1\n', 1, 3],
    ['a tab as indentation', 'a:\n\tb: 1\n', 2, 1],
    ['an unknown tag', 'a: 1\nb: !js/function x\n', 2, 4],
    ['an alias without an anchor', 'a: 1\nb: *no\n', 2, 4],
    ['infinity', 'a:\n  b: .inf\n', 2, 6],
    ['bytes', 'a: !!binary aGk=\n', 1, 13],
    ['a value inside itself', 'a: &a [*a]\n', 1, 8],
    ['a list as the whole', '- a\n', 1, 1],
    ['nothing', '', 1, 1],
    ['text as the whole', 'svc\n', 1, 1],
    ['comments alone', '# nothing\n', 1, 1],
    ['a merge key', 'a: &a { b: 1 }\nc:\n  <<: *a\n', 3, 3],
  ])('refuses %s', (_what, text, line, column) => {
    const { value, problems } = parseYaml(text);
    expect(value).toBeNull();
    expect(problems[0]).toMatchObject({ line, column });
  });

  it('refuses aliases that expand to too much', () => {
    const nine = (name: string) => `[${Array(9).fill(`*${name}`).join(',')}]`;
    const levels = [...'bcdefgh'].map((name, level) => `${name}: &${name} ${nine('abcdefgh'.charAt(level))}`);
    expect(parseYaml(`a: &a [x,x,x,x,x,x,x,x,x]\n${levels.join('\n')}\n`)).toMatchObject({
      value: null,
      problems: [{ line: 1 }],
    });
  });

  it('allows a few aliases', () => {
    expect(parseYaml('a: &list [x]\nb: *list\n').value).toEqual({ a: ['x'], b: ['x'] });
  });

  it('reports only a few problems for a badly broken file, and does not overflow the stack', () => {
    const { value, problems } = parseYaml(`a: ${'['.repeat(20_000)}`);
    expect(value).toBeNull();
    expect(problems.length).toBeLessThanOrEqual(20);
    expect(parseYaml(`a: ${'['.repeat(2000)}${']'.repeat(2000)}`).value).toBeNull();
  });

  it('does not quote the file in its messages', () => {
    for (const text of [
      'key: "svc-secret" svc-secret\n',
      'key: svc-secret\n}svc-secret\n',
      '%svc-secret\nkey: 1\n',
      'key: !<svc-secret> 1\n',
      'key: "\\xsvc-secret"\n',
      'key: [svc-secret\nsvc-secret: ]x',
    ]) {
      expect(JSON.stringify(parseYaml(text).problems)).not.toContain('svc-secret');
    }
  });

  it('treats __proto__ as an ordinary key', () => {
    const { value } = parseYaml('__proto__: { a: 1 }\n');
    expect(Object.keys(value ?? {})).toEqual(['__proto__']);
  });
});

describe('locate', () => {
  const { locate } = parseYaml(
    'server:\n  port: x\nroutes:\n  a.b:\n    list: [one,\n      two]\nnothing:\nshared: &s { deep: 1 }\nuser: *s\n',
  );
  it.each([
    [[], 'value', 1, 1],
    [['server', 'port'], 'value', 2, 9],
    [['server', 'port'], 'key', 2, 3],
    [['routes', 'a.b', 'list', 1], 'value', 6, 7],
    [['routes', 'a.b', 'list', 1], 'key', 6, 7],
    [['server', 'host'], 'value', 1, 1],
    [['routes', 'a.b', 'absent', 'more'], 'value', 4, 3],
    [['routes', 'a.b', 'list', 7], 'value', 5, 5],
    [['nothing'], 'key', 7, 1],
    [['user', 'deep'], 'value', 8, 20],
    [['absent'], 'key', 1, 1],
  ] as const)('finds %j (%s) at %i:%i', (path, at, line, column) => {
    expect(locate(path, at)).toEqual({ line, column });
  });
});
