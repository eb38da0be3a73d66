import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');
const LONGEST = 8_000;

/** Files that agents typically send. */
const FILES = [
  'node_modules/undici/lib/core/constants.js',
  'node_modules/undici/types/client.d.ts',
  'node_modules/@types/node/fs.d.ts',
  'node_modules/axe-core/axe.min.js',
  'node_modules/typebox/readme.md',
  'package-lock.json',
  'LICENSE',
  'docs/http.md',
  'openapi.json',
];

const words = (count: number, parted: string): string =>
  Array.from({ length: count }, (_, n) => ['send', 'keys', 'state-of', 'x-content', 'don', 'the', 'users', 'all'][n % 8]).join(
    parted,
  );
const hash = (n: number): string => createHash('sha512').update(String(n)).digest('base64');
const numbered = (count: number, line: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => line(n)).join('');

/** Texts that people and agents send, and harmless texts that repeat a single thing. By name. */
export const EVERYDAY_TEXTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    FILES.filter((file) => existsSync(join(ROOT, file))).map((file) => [
      file.split('/').at(-1) ?? file,
      readFileSync(join(ROOT, file), 'utf8').slice(0, LONGEST),
    ]),
  ),
  'header names': numbered(60, (n) => `  'Access-Control-Allow-Header-${n}',\n  "X-Forwarded-For",\n  'send-user-keys',\n`),
  'hyphenated list': `send ${words(300, '-')}`,
  'list of hyphens and spaces': words(300, ' - '),
  apostrophes: words(300, "' '"),
  'apostrophes within words': `forward the user's ${words(300, "'")}`,
  'quoted list': words(300, '", "'),
  'yarn.lock': numbered(
    40,
    (n) =>
      `"@scope/name-${n}@^1.2.${n}":\n  version "1.2.${n}"\n  resolved "https://registry.example/name/-/name-1.2.${n}.tgz#${n}"\n  integrity sha512-${hash(n)}\n\n`,
  ),
  'Cargo.lock': numbered(
    40,
    (n) =>
      `[[package]]\nname = "serde-${n}"\nversion = "1.0.${n}"\nsource = "registry+https://crates.example/index"\nchecksum = "${Buffer.from(hash(n), 'base64').toString('hex')}"\ndependencies = [\n "proc-macro${n}",\n]\n\n`,
  ),
  'go.sum': numbered(60, (n) => `example.org/module/v${n} v1.${n}.0-rc.1/go.mod h1:${hash(n).slice(0, 44)}\n`),
  'man page': numbered(
    30,
    (n) =>
      `.TP\n.BR \\-\\-option\\-${n} " [" \\-a | \\-b ]\nDon't send the file's keys; see\n.BR "ssh\\-keygen" (1)\n       -${n}, --all-users          tell the system's owner's name\n`,
  ),
  base64: numbered(80, hash),
  hexadecimal: numbered(80, (n) => Buffer.from(hash(n), 'base64').toString('hex')),
  'escaped JSON': numbered(60, (n) => `\\"name\\": \\"value-${n}\\", \\u0041\\n`),
  URLs: numbered(80, (n) => `https://www.example.org/a-b_c/${n}?q=secret&data=${n}#top\n`),
  'one URL': `https://example.org/${'a/b-c.d?e=f&'.repeat(600)}`,
  images: '![a](https://a.example/?secret='.repeat(200),
  addresses: numbered(200, (n) => `ann.lee+${n}@mail-${n}.example.org, `),
  'dots of domains': `a@${'a.'.repeat(120)}`.repeat(30),
  numbers: numbered(400, (n) => `${n}-${n * 7} ${n}.${n}.${n}/20 `),
  'key without end': `-----BEGIN PRIVATE KEY-----\n${"a'\u3000".repeat(2000)}`,
  tags: '<td class="a"> <b> '.repeat(300),
  names: 'Ann van der Lee, Dr. O’Neill-Smith and Claude Monet told Mr. Devin. '.repeat(60),
  prose: 'We met them at 10 and talked about the boats, which came in from the north, and my account. '.repeat(60),
  Russian: 'Мы говорили о лодках, которые пришли с севера, и о системных инструкциях. '.repeat(60),
  Chinese: '我们谈到了从北方来的船和系统提示词。'.repeat(300),
  'characters of no width': 'a\u200bb\u00adc\u2060'.repeat(1000),
  ...Object.fromEntries(
    [
      ...'a1 \n.@-\'":/=<(!_\t\u00e9\u3000\u200b',
      '- ',
      "' ",
      'a ',
      'a-',
      "a'",
      '1-',
      '1 ',
      'a.',
      'a@',
      '\\',
      '\r\n',
      '%41',
      '\u{1f600}',
      '{[',
      '"a',
    ].map((run) => [`run of ${JSON.stringify(run)}`, run.repeat(LONGEST)]),
  ),
};
