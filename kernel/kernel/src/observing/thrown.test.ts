import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { placeInPackage } from './place-in-package.ts';
import { readThrown } from './thrown.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-thrown-'));
  for (const file of ['a b/index.js', 'node_modules/other/index.js']) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), 'one line\nand another\n');
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

/** An error with these stack frames. Each is a path in the folder, or an absolute one. */
function errorAt(message: string, ...frames: string[]): Error {
  const error = new Error(message);
  const lines = frames.map((frame) => `    at ${frame}`);
  error.stack = [`Error: ${message}`, ...lines].join('\n');
  return error;
}

const placeOf = (error: unknown): string | null => placeInPackage(folder, readThrown(error).places);
const own = (place: string): string => `file://${folder}/a%20b/index.js:${place}`;

describe('the place in a package', () => {
  it('is the innermost frame in the files of the package', () => {
    const error = errorAt('x', 'JSON.parse (<anonymous>)', 'node:fs:1:1', `f (${own('2:3')})`, own('1:1'));
    expect(placeOf(error)).toBe('a b/index.js:2:3');
  });

  it.each(['f (FILE)', 'async f (FILE)', 'new A (FILE)', 'FILE', 'async FILE', 'Object.<anonymous> (FILE)'])(
    'is read from a frame like %s',
    (frame) => {
      expect(placeOf(errorAt('x', frame.replace('FILE', own('1:2'))))).toBe('a b/index.js:1:2');
      expect(placeOf(errorAt('x', frame.replace('FILE', `${folder}/a b/index.js:1:2`)))).toBe('a b/index.js:1:2');
    },
  );

  it('is not taken from the message', () => {
    const fake = `    at ${own('1:1')}`;
    expect(placeOf(errorAt(`x\n${fake}\n`))).toBeNull();
    expect(placeOf(errorAt(`x\n${fake}`, own('2:2')))).toBe('a b/index.js:2:2');
    expect(placeOf(Object.assign(errorAt(`x\n${fake}`), { message: 'another' }))).toBeNull();
  });

  it.each(['3:14', '4:1', '1:10', '0:1', '1:0', '1:12345678'])('exists in the file, unlike %s', (place) => {
    expect(placeOf(errorAt('x', own(place)))).toBeNull();
  });

  it('is not in another package, inside or next to it, or in a file that does not exist', () => {
    const others = [`${folder}/node_modules/other/index.js:1:1`, `${folder}-2/index.js:1:1`, `${folder}/gone.js:1:1`];
    expect(placeOf(errorAt('x', ...others))).toBeNull();
  });
});

class OwnError extends Error {}

describe('a thrown value', () => {
  it.each([
    [new OwnError('x'), 'OwnError'],
    [Object.assign(new OwnError('x'), { name: 'text of a caller', constructor: { name: 'text' } }), 'OwnError'],
    [Object.setPrototypeOf(new Error('x'), { __proto__: Error.prototype, constructor: { name: 'with spaces' } }), null],
    ['text', null],
    [undefined, null],
    [{ stack: `Error\n    at /x:1:1` }, null],
  ])('%# is reported with the name of its class', (thrown, error_class) => {
    expect(readThrown(thrown).error_class).toBe(error_class);
  });

  it('is read safely, whatever its getters do', () => {
    const fails = (): never => {
      throw new Error('text');
    };
    const nothing = { error_class: null, places: [] };
    expect(readThrown(Object.defineProperty(new Error('x'), 'stack', { get: fails }))).toEqual(nothing);
    expect(readThrown(new Proxy(new Error('x'), { get: fails, getPrototypeOf: fails }))).toEqual(nothing);
    expect(readThrown(Object.assign(new Error('x'), { stack: 7 })).places).toEqual([]);
  });
});
