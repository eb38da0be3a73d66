import type { Detector } from './detector.ts';
import { isDummy } from './dummy.ts';
import { entropy, looksRandom } from './entropy.ts';
import { fewOf, oneOf, run, sequence, text, upTo, words } from './shape.ts';
import { asLongAs } from './tails.ts';

/** Names of secrets, also as the end of a longer name. */
const NAMES = [
  ...[
    'password',
    'passwd',
    'passphrase',
    'passcode',
    'pwd',
    'secret',
    'token',
    'credential',
    'credentials',
    'bearer',
    'authorization',
    'authorization: basic',
    'identified by',
  ],
  ...[
    'api_key',
    'api-key',
    'api key',
    'apikey',
    'secret_key',
    'secret-key',
    'secretkey',
    'access_key',
    'access-key',
    'accesskey',
  ],
  ...[
    'auth_key',
    'authkey',
    'private_key',
    'encryption_key',
    'signing_key',
    'master_key',
    'account_key',
    'accountkey',
    'x-api-key',
  ],
  ...[
    'passwort',
    'kennwort',
    'mot de passe',
    'contraseña',
    'wachtwoord',
    'senha',
    'hasło',
    'parola',
    'пароль',
    '密码',
    'パスワード',
  ],
];

/** Names that announce many other things too. */
const WEAK_NAMES = ['key', 'auth', 'pass', 'pat', 'licence', 'license'];

/** The words that values must follow. */
export const VALUE_NAMES: readonly string[] = [...NAMES, ...WEAK_NAMES];

/** Characters of a value, up to the first one that ends it in prose, JSON, YAML, shell scripts and links alike. */
const VALUE = '!#$%*+/0-9=?@A-Z^_a-z|~-';
/** These are also characters of a value, except at its end, where they belong to the sentence. */
const JOINTS = '.:';
/** Characters of a value in quotes: all that can be seen, except quotes and backslashes. */
const QUOTED = '!#-&(-[\\]-_a-~';
/** Characters of keys that generators make. */
const GENERATED = 'A-Za-z0-9_+/=%.~-';

/** A token against forged requests is no secret of the caller: each page contains it. */
const OF_FORMS = sequence(words('csrf', 'xsrf', 'csrfmiddleware', 'authenticity', 'requestverification'), run('_ -', 0, 1));
/** Keys that everyone may know, and keys of records. */
const OF_PUBLIC = sequence(
  words(
    ...[
      'public',
      'pub',
      'verifier',
      'verify',
      'verification',
      'verifying',
      'primary',
      'foreign',
      'cache',
      'partition',
      'sort',
      'idempotency',
    ],
  ),
  run('_ -', 0, 1),
);

const QUOTE = '"\'`';
const CLOSING = run(`${QUOTE}\\\\*)\\]`, 0, 3);
const OPENING = run(`${QUOTE}\\\\*({@\\[`, 0, 3);
const SIGN = oneOf(
  ...[
    '=>',
    ':::=',
    '::=',
    ':=',
    '?=',
    '.=',
    '+=',
    '=',
    ':',
    '：',
    'is:',
    'is',
    'ist:',
    'ist',
    'lautet:',
    'lautet',
    'est',
    'es',
    'é',
    'è',
    '->',
    '<-',
    '>',
  ].map(text),
);
const SPACES = run(' \\t', 1, 3);
/** `name = `, `"name": `, `name: string = `. */
const ASSIGNED = oneOf(
  sequence(CLOSING, run('\\s', 0, 3), SIGN, run('\\s', 0, 3)),
  sequence(
    run(' :', 1, 3),
    words('string', 'String', 'str', 'char *', 'std::string'),
    run(' ', 0, 2),
    oneOf(text('='), text(':=')),
    run(' ', 0, 2),
  ),
);
/** `name('value`, `"name", "value`, `name - 'value`, `key="name" value="value`. */
const PAIRED = sequence(
  oneOf(
    sequence(run(QUOTE, 1, 2), run('\\s', 0, 2), text(','), run('\\s', 0, 2)),
    sequence(SPACES, text('-'), SPACES),
    sequence(run(QUOTE, 1), SPACES, text('value=')),
    text('('),
  ),
  run(QUOTE, 1, 2),
);
const SEPARATOR = oneOf(sequence(oneOf(ASSIGNED, sequence(CLOSING, SPACES)), OPENING, run('\\s', 0, 2)), PAIRED);
const IN_QUOTES = oneOf(sequence(oneOf(ASSIGNED, SPACES), run('({@\\[bur', 0, 2), run(QUOTE, 1)), PAIRED);
/** Words between a name and a generated key, on the same line: `the secret of the app: 5f3…`. As few as possible: text after the key does not change them. */
const WORDS_BETWEEN = sequence(
  run(`${QUOTE} :=<>(){}\\[\\]`, 1),
  fewOf(`\\w${QUOTE} :,=<>(){}\\[\\]-`, 0, 34),
  run(`${QUOTE} :=<>(){}\\[\\]`, 1),
);
const NAME = words(...NAMES);
/** No name is another one with words after it, because then text after the key could decide between them. */
const NAME_BEFORE_WORDS = words(...NAMES.filter((name) => name !== 'authorization: basic'));
const WEAK_NAME = words(...WEAK_NAMES);
const NUMBER = run('0-9', 0, 2);

/** High-entropy values after a word that announces a secret. */
export function namedValues(threshold: number): readonly Detector[] {
  const judge = (value: string, next: string): number =>
    isReference(value, next) || entropy(value) < threshold || !isMixed(value) ? 0 : 0.5;
  const judgeRandom = (value: string, next: string): number =>
    isReference(value, next) || entropy(value) < Math.max(3, threshold) || !looksRandom(value) ? 0 : 0.4;
  const shared = { entity: 'SECRET', notAfter: '/', anyCase: true } as const;
  return [
    {
      ...shared,
      notAfterText: OF_FORMS,
      before: sequence(NAME, NUMBER, IN_QUOTES),
      secret: upTo(QUOTED, '.:', 8, 256),
      judge,
      continues: asLongAs(QUOTED, '.:'),
    },
    {
      ...shared,
      notAfterText: OF_FORMS,
      before: sequence(NAME, NUMBER, SEPARATOR),
      secret: upTo(VALUE, JOINTS, 8, 256),
      judge,
      continues: asLongAs(VALUE, JOINTS),
    },
    {
      ...shared,
      notAfterText: OF_PUBLIC,
      before: sequence(WEAK_NAME, NUMBER, oneOf(sequence(ASSIGNED, OPENING), PAIRED)),
      secret: upTo(VALUE, JOINTS, 12, 256),
      judge: judgeRandom,
      continues: asLongAs(VALUE, JOINTS),
    },
    {
      ...shared,
      notAfterText: OF_FORMS,
      before: sequence(NAME_BEFORE_WORDS, WORDS_BETWEEN),
      secret: run(GENERATED, 20),
      judge: judgeRandom,
      continues: asLongAs(GENERATED),
    },
  ];
}

/** Whether a value is more than a word: it has letters with digits or signs, letters of both cases, or very many digits. */
function isMixed(value: string): boolean {
  if (/^\d{15,}$/.test(value)) return true;
  return /[0-9!#$%*+/=?@^|~]/.test(value) ? /[^0-9.:-]/.test(value) : /^[^a-z]*[a-z][^A-Z]*[A-Z]/.test(value);
}

/** Words, and numbers of up to two digits between them: `secret-2-levels`. */
const WORDS_ONLY = /^[A-Za-z]+(?:[-_.,:;](?:[A-Za-z]+|\d{1,2}))*$/;
/** A path in a program: `opts?.workSecret`, `process.env.TOKEN!`, `users.*.token`. */
const MEMBER = /^[A-Za-z_$][\w$]*(?:[?!]?\.(?:[A-Za-z_$][\w$]*|\*))+!?$/;
/** A name of several words: `toUint8Array`, `X509Credential`, `X509Identity_refresh`. */
const IDENTIFIER =
  /^[_$]*(?:[A-Z]{1,4}\d{1,5}[A-Za-z][a-z]+|[A-Za-z][a-z]*\d{0,2}(?:[A-Z]|_{1,3}[A-Za-z])[a-z]+)(?:\d{0,2}(?:[A-Z]|_{1,3}[A-Za-z])[a-z]+)*$/;
/** A variable, a template, a link or a file. */
const ELSEWHERE =
  /^(?:\$[A-Za-z_]+$|\$[A-Z0-9_]+$|%[A-Za-z_]+%$|[$#%@]?[{(<[]|\/\/|\/\^|(?:\/[a-z]{2,20}){2,20}\/?$|[~.]{0,2}\/[\w./-]{1,200}\.(?:json|ya?ml|pem|key|txt|crt|env|conf)$|[A-Za-z][A-Za-z0-9+.-]*:\/\/)/;

/** Percent-encoded characters are separators of words. */
function unescaped(value: string): string {
  return value.replace(/%[0-9A-Fa-f]{2}/g, '-');
}

/** Whether a value is a reference to a secret instead of the secret: a variable, a call, a template, words, a link, a dummy. */
function isReference(value: string, next: string): boolean {
  if (next === '(' || next === '[' || value.includes('${') || ELSEWHERE.test(value)) return true;
  if (isDummy(value)) return true;
  const plain = unescaped(value)
    .replace(/^[^A-Za-z0-9_]{1,4}/, '')
    .replace(/(?:![rsa]|[^A-Za-z0-9]{1,4})$/, '');
  if (plain === '' || WORDS_ONLY.test(plain) || IDENTIFIER.test(plain)) return true;
  return MEMBER.test(value) && value.slice(value.indexOf('.')).replace(/[^0-9]/g, '').length <= 2;
}
