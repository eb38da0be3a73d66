import type { Detector } from './detector.ts';
import { entropy, unlessPlaceholder } from './entropy.ts';
import { maybe, oneOf, run, type Shape, sequence, text, words } from './shape.ts';

const WORD = 'A-Za-z0-9_';
const BASE64 = 'A-Za-z0-9+/';

const ACCESS_KEY_STARTS = ['AKIA', 'ASIA', 'ABIA', 'ACCA'] as const;
/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-unique-ids */
const ACCESS_KEY: Shape = sequence(words(...ACCESS_KEY_STARTS), run('A-Z0-9', 16));

const ASSIGNED = sequence(
  run('"\'`\\\\', 0, 2),
  run('\\s', 0, 4),
  maybe(oneOf(text('=>'), text(':='), text('='), text(':'), text('is'))),
  run('\\s', 0, 4),
  run('"\'`\\\\', 0, 2),
);
const SECRET_KEY_NAME = sequence(
  words(
    'secret_access_key',
    'secretaccesskey',
    'secret-access-key',
    'secret access key',
    'aws_secret_key',
    'aws_secret',
    'aws secret',
  ),
  maybe(text(' key')),
);

export const cloud: readonly Detector[] = [
  {
    entity: 'AWS_ACCESS_KEY',
    secret: ACCESS_KEY,
    contains: ACCESS_KEY_STARTS,
    notAfter: WORD,
    notBefore: WORD,
    // AWS marks the keys of its documentation: AKIAIOSFODNN7EXAMPLE.
    judge: (value) => (value.endsWith('EXAMPLE') ? 0 : 1),
  },
  {
    // Any forty characters look like such a key, so it must follow its name or its access key id.
    entity: 'AWS_SECRET_KEY',
    before: oneOf(sequence(SECRET_KEY_NAME, ASSIGNED), sequence(ACCESS_KEY, run('\\s,;:|/"\'', 1, 8))),
    secret: run(BASE64, 40),
    notAfter: '',
    notBefore: `${BASE64}=`,
    anyCase: true,
    judge: (value) => (entropy(value) >= 3.5 && !value.endsWith('EXAMPLEKEY') ? 1 : 0),
  },
  {
    // 64 bytes in base64.
    entity: 'AZURE_STORAGE_KEY',
    before: sequence(words('AccountKey', 'SharedAccessKey', 'account_key', 'storage_key', 'storageKey', 'storage key'), ASSIGNED),
    secret: sequence(oneOf(run(BASE64, 86), run(BASE64, 43)), run('=', 1, 2)),
    notAfter: '',
    anyCase: true,
    judge: unlessPlaceholder,
  },
  {
    entity: 'AZURE_SAS',
    before: text('sig='),
    // 32 bytes in base64; `+`, `/` and `=` may be percent-encoded.
    secret: oneOf(sequence(run(BASE64, 43), text('=')), sequence(run(`${BASE64}%`, 43, 76), text('%3D'))),
    notAfter: WORD,
    anyCase: true,
    judge: unlessPlaceholder,
  },
  {
    entity: 'AZURE_CLIENT_SECRET',
    secret: sequence(run('A-Za-z0-9_~.-', 3), run('0-9', 1), text('Q~'), run('A-Za-z0-9_~.-', 31, 34)),
    contains: ['Q~'],
    notAfter: 'A-Za-z0-9_~.-',
    notBefore: 'A-Za-z0-9_~-',
    judge: unlessPlaceholder,
  },
];
