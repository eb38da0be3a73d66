import type { Detector } from './detector.ts';
import { entropy } from './entropy.ts';
import { oneOf, run, sequence, text, upTo, words } from './shape.ts';
import { asLongAs } from './tails.ts';

const NAMES = words(
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
    'authorization: basic',
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
);

/** Characters of a value, up to the first one that ends it in prose, JSON, YAML, shell scripts and links alike. */
const VALUE = '!#$%*+/0-9=?@A-Z^_a-z|~-';
/** These are also characters of a value, except at its end, where they belong to the sentence. */
const JOINTS = '.:';

const QUOTES = run('"\'`\\\\*', 0, 2);
const SIGN = oneOf(...['=>', ':=', '=', ':', '：', 'is', 'ist', 'est', 'es', '->', '>'].map(text));
const SEPARATOR = sequence(
  QUOTES,
  oneOf(sequence(run('\\s', 0, 3), SIGN, run('\\s', 0, 3)), run('\\s', 1, 3)),
  QUOTES,
  run('\\s', 0, 2),
);

/** A high-entropy value after a word that announces a secret. */
export function namedValue(threshold: number): Detector {
  return {
    entity: 'SECRET',
    before: sequence(NAMES, SEPARATOR),
    secret: upTo(VALUE, JOINTS, 8, 256),
    notAfter: '',
    anyCase: true,
    judge: (value) => (isReference(value) || entropy(value) < threshold || !isMixed(value) ? 0 : 0.5),
    continues: asLongAs(VALUE, JOINTS),
  };
}

/** Whether a value is more than a word: it has letters with digits or signs, or letters of both cases. */
function isMixed(value: string): boolean {
  return /[0-9!#$%*+/=?@^|~]/.test(value) ? /[^0-9.:-]/.test(value) : /^[^a-z]*[a-z][^A-Z]*[A-Z]/.test(value);
}

/** Whether a value is a reference to a secret instead of the secret: a variable, a template, words, a link. */
function isReference(value: string): boolean {
  if (/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/.test(value)) return value.replace(/[^0-9]/g, '').length <= 2;
  return /^(?:\$[A-Za-z_]+$|\$[A-Z0-9_]+$|%[A-Za-z_]+%$|\/\/|[~.]{0,2}\/[\w./-]{1,200}\.(?:json|ya?ml|pem|key|txt|crt|env|conf)$|[A-Za-z][A-Za-z0-9+.-]*:\/\/|[A-Za-z]+(?:[-_][A-Za-z]+)*[!?]*$)/.test(
    value,
  );
}
