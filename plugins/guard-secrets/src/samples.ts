import { crc32 } from 'node:zlib';
import { ENTITIES } from './detectors/index.ts';
import type { Options } from './options.ts';

const ALNUM = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Generates characters in a fixed, scrambled order, for tests: no file may contain a real secret, or text that looks like one. */
export function disorder(length: number, characters = ALNUM, seed = 7): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return characters[(state >>> 16) % characters.length];
  }).join('');
}

const HEX = '0123456789abcdef';
const BASE64 = `${ALNUM}+/`;
const URL_SAFE = `${ALNUM}-_`;

/** A token in GitHub's format with a valid checksum, for tests. */
export function withChecksum(prefix: string, body = disorder(30)): string {
  let sum = '';
  for (let left = crc32(body); left > 0; left = Math.floor(left / 62)) sum = (ALNUM[left % 62] ?? '') + sum;
  return `${prefix}_${body}${sum.padStart(6, '0')}`;
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The lines of a private key, for tests. */
export const KEY_LINES = Array.from({ length: 26 }, (_, line) => disorder(64, BASE64, line + 1)).join('\n');
const AWS_ID = `AKIA${disorder(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`;
const AWS_SECRET = disorder(40, BASE64, 3);

/** A secret of each kind and a text that contains it, for tests. */
export const SAMPLES: readonly (readonly [entity: string, secret: string, text: string])[] = (
  [
    ['AWS_ACCESS_KEY', AWS_ID, 'the id is @, rotate it'],
    ['AWS_SECRET_KEY', AWS_SECRET, 'aws_secret_access_key = @\nregion = eu-central-1'],
    ['AWS_SECRET_KEY', AWS_SECRET, '{"SecretAccessKey": "@"}'],
    ['AWS_SECRET_KEY', AWS_SECRET, 'export AWS_SECRET_ACCESS_KEY=@'],
    ['AWS_SECRET_KEY', AWS_SECRET, 'our AWS secret key is @ .'],
    ['GITHUB_TOKEN', withChecksum('ghp'), 'use @ to push'],
    ['GITHUB_TOKEN', withChecksum('gho'), 'https://api.example/a?access=@&x=1'],
    ['GITHUB_TOKEN', withChecksum('ghs'), 'token: @'],
    ['GITHUB_TOKEN', `ghr_${disorder(76)}`, 'refresh with "@"'],
    ['GITHUB_TOKEN', `github_pat_${disorder(22)}_${disorder(59, ALNUM, 9)}`, 'GITHUB_TOKEN=@'],
    ['GITLAB_TOKEN', `glpat-${disorder(20, URL_SAFE)}`, 'curl --header "PRIVATE-TOKEN: @"'],
    ['SLACK_TOKEN', `xoxb-${disorder(12, '123456789')}-${disorder(12, '123456789', 2)}-${disorder(24)}`, 'bot: @'],
    ['SLACK_TOKEN', `xapp-1-A${disorder(10)}-${disorder(13, '123456789')}-${disorder(64, HEX)}`, 'socket mode @'],
    ['SLACK_WEBHOOK', `hooks.slack.com/services/T${disorder(8)}/B${disorder(10)}/${disorder(24)}`, 'post to https://@ now'],
    ['STRIPE_KEY', `sk_live_${disorder(24)}`, 'stripe.api_key = "@"'],
    ['STRIPE_KEY', `rk_test_${disorder(99)}`, 'restricted @'],
    ['STRIPE_KEY', `whsec_${disorder(32)}`, 'endpoint secret @'],
    ['GOOGLE_API_KEY', `AIza${disorder(35, URL_SAFE)}`, 'maps/api/js?key=@&callback=x'],
    ['GOOGLE_OAUTH', `GOCSPX-${disorder(28, URL_SAFE)}`, '"client_secret":"@"'],
    ['GOOGLE_OAUTH', `ya29.${disorder(900, URL_SAFE)}`, 'Authorization: Bearer @'],
    ['GOOGLE_OAUTH', `1//0${disorder(99, URL_SAFE)}`, 'refresh_token: @'],
    ['AZURE_STORAGE_KEY', `${disorder(86, BASE64)}==`, 'AccountName=a;AccountKey=@;EndpointSuffix=core.windows.net'],
    ['AZURE_SAS', `${disorder(43)}%3D`, 'https://a.blob.core.windows.net/c?sv=2024-01-01&sp=r&sig=@&se=2030'],
    ['AZURE_CLIENT_SECRET', `${disorder(3)}8Q~${disorder(34, `${ALNUM}_~.-`)}`, 'AZURE_CLIENT_SECRET=@'],
    ['NPM_TOKEN', withChecksum('npm'), '//registry.example/:_authToken=@'],
    ['OPENAI_KEY', `sk-proj-${disorder(74, URL_SAFE)}T3BlbkFJ${disorder(74, URL_SAFE, 5)}`, 'OPENAI_API_KEY=@'],
    ['OPENAI_KEY', `sk-${disorder(48)}`, 'the old one: @'],
    ['ANTHROPIC_KEY', `sk-ant-api03-${disorder(93, URL_SAFE)}AA`, 'x-api-key: @'],
    ['URL_PASSWORD', 'p4ss:w0rd', 'postgres://app:@@db.example:5432/main'],
    ['SVC_KEY', `svc-${disorder(64, HEX)}`, 'Authorization: Bearer @'],
    [
      'JWT',
      `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub: 'ann', n: disorder(300) })}.${disorder(43, URL_SAFE)}`,
      'Cookie: s=@; Path=/',
    ],
    [
      'JWT',
      `${encoded({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.${[300, 16, 800, 22].map((n) => disorder(n, URL_SAFE)).join('.')}`,
      'jwe @.',
    ],
    [
      'PRIVATE_KEY',
      `-----BEGIN RSA PRIVATE KEY-----\n${KEY_LINES}\n-----END RSA PRIVATE KEY-----`,
      'my key:\n@\nand that was it',
    ],
    [
      'PRIVATE_KEY',
      `-----BEGIN PRIVATE KEY-----\\n${KEY_LINES.replaceAll('\n', '\\n')}\\n-----END PRIVATE KEY-----`,
      '{"type":"service_account","private_key":"@\\n","client_id":"1"}',
    ],
    ['PRIVATE_KEY', `-----BEGIN OPENSSH PRIVATE KEY-----\n${KEY_LINES}`, '@'],
    [
      'PRIVATE_KEY',
      `-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${KEY_LINES.slice(0, 500)}`,
      '@\nbut openssl says that it is bad',
    ],
    [
      'PRIVATE_KEY',
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 1\n\n${KEY_LINES}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----`,
      'import @ please',
    ],
    ['SECRET', 'hunter2-Tr0ub4dor', 'the password is @, do not tell'],
    ['SECRET', disorder(32, HEX), '"client_secret": "@"'],
    ['SECRET', 'x7!kQ$2pWz', 'DB_PASSWORD=@\nDB_HOST=db'],
    ['SECRET', disorder(700, BASE64), 'aws_session_token: @ (temporary)'],
    ['SECRET', 'Kp4-Regenwurm', '<user>ann</user><password>@</password>'],
    ['SECRET', 'Kp4-Regenwurm', '**Password:** @'],
    ['SECRET', 'Kp4-Regenwurm', 'mysql --password @ --host db'],
    ['SECRET', 'YW5uOktwNC1SZWdlbnd1cm0=', 'Authorization: Basic @'],
    ['SECRET', 'Zeppelin-4711-Himbeere', 'Mein Passwort ist @ und bleibt es.'],
  ] as const
).map(([entity, secret, around]) => [entity, secret, around.replace('@', () => secret)]);

/** The options of an empty configuration, for tests. */
export const DEFAULTS: Options = {
  verdict: 'sanitize',
  restore: false,
  detectors: [...ENTITIES],
  exclude: [],
  entropy: true,
  entropy_threshold: 2.5,
  allow_list: [],
};

/** Texts without a secret, although some words suggest one, for tests. */
export const CLEAN: readonly string[] = [
  'What does -----BEGIN PRIVATE KEY----- mean at the top of a file?',
  'password = process.env.DB_PASSWORD; const token = await getToken();',
  'Set the password in $(cat pw), or $DB_PASSWORD, or <YOUR_PASSWORD>, or "********".',
  'api_key: "secret://env/OPENAI_API_KEY#value"',
  'AKIA is the prefix, ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx stands for a token, sk-... for a key',
  'commit 3f786850e387550fdab836ed7e6dc881de23001b, sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'max_tokens: 4096, tokens are counted, the secretary said: nothing. Token authentication is required.',
  'id 01900000-0000-7000-8000-000000000000 at http://localhost:8000/v1?x=a@b and mail ann@example.org',
  'password: required, secret: optional, token: string, passwd: x-nil',
  'run it with --credentials /etc/keys/credentials.json and token: ./token.txt',
  'eyJust a word. eyJhbGciOiJub25l is no token without more',
];
