import { holdsChecksum } from './checksum.ts';
import type { Detector } from './detector.ts';
import { isDummy } from './dummy.ts';
import { unlessPlaceholder } from './entropy.ts';
import { type Prefixed, prefixed } from './formats.ts';
import { followedBy, oneOf, run, sequence, text } from './shape.ts';
import { asLongAs } from './tails.ts';

const ALNUM = 'A-Za-z0-9';
const WORD = 'A-Za-z0-9_';
const URL_SAFE = 'A-Za-z0-9_-';

/** A valid checksum makes a token certain. Without one, the token may have a newer format. */
const checked = (value: string): number => (holdsChecksum(value) ? 1 : unlessPlaceholder(value));

/** Every prefix with every ending. */
const each = (starts: readonly string[], ends: readonly string[]): string[] =>
  starts.flatMap((start) => ends.map((end) => start + end));

/** Services whose keys have a kind of their own. */
export const prefixedServices: readonly Prefixed[] = [
  // Classic tokens, and OAuth, user, installation and refresh tokens; the last are longer.
  prefixed('GITHUB_TOKEN', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], run(ALNUM, 36), asLongAs(WORD), checked),
  prefixed('GITHUB_TOKEN', ['github_pat_'], sequence(run(ALNUM, 22), text('_'), run(ALNUM, 20)), asLongAs(WORD)),
  // Generated samples of other tools have no underscore.
  prefixed('GITHUB_TOKEN', ['github_pat_'], run(WORD, 82), asLongAs(WORD)),
  prefixed(
    'GITLAB_TOKEN',
    ['glpat-', 'glptt-', 'glrt-', 'gldt-', 'glcbt-', 'glft-', 'glimt-', 'glsoat-', 'glagent-', 'gloas-', 'GR1348941'],
    run(URL_SAFE, 20),
    asLongAs(`.${URL_SAFE}`),
  ),
  prefixed(
    'SLACK_TOKEN',
    each(['xoxe.', ''], ['xoxa-', 'xoxb-', 'xoxe-', 'xoxo-', 'xoxp-', 'xoxr-', 'xoxs-']),
    run(`${ALNUM}-`, 16),
    asLongAs(`${ALNUM}-`),
  ),
  prefixed('SLACK_TOKEN', ['xapp-'], sequence(run('0-9', 1), text('-'), run(`${ALNUM}-`, 16)), asLongAs(`${ALNUM}-`)),
  prefixed(
    'SLACK_WEBHOOK',
    each(['hooks.slack.com/'], ['services/', 'workflows/', 'triggers/']),
    run('A-Za-z0-9/+_-', 20),
    asLongAs('A-Za-z0-9/+_-'),
  ),
  prefixed('STRIPE_KEY', each(['sk_', 'rk_'], ['live_', 'test_', 'prod_']), run(ALNUM, 10), asLongAs(WORD)),
  prefixed('STRIPE_KEY', ['whsec_'], run(ALNUM, 24), asLongAs(WORD)),
  prefixed('NPM_TOKEN', ['npm_'], run(ALNUM, 36), asLongAs(WORD), checked),
  prefixed('OPENAI_KEY', ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'], run(URL_SAFE, 20), asLongAs(URL_SAFE)),
  prefixed('OPENAI_KEY', ['sk-'], run(ALNUM, 40), asLongAs(URL_SAFE)),
  prefixed(
    'ANTHROPIC_KEY',
    ['sk-ant-'],
    sequence(run('a-z', 3, 8), run('0-9', 2), text('-'), run(URL_SAFE, 20)),
    asLongAs(URL_SAFE),
  ),
  prefixed('GOOGLE_OAUTH', ['ya29.', '1//0'], run(URL_SAFE, 20), asLongAs(`.${URL_SAFE}`)),
  prefixed('GOOGLE_OAUTH', ['GOCSPX-'], run(URL_SAFE, 28), asLongAs(URL_SAFE)),
  prefixed('GOOGLE_API_KEY', ['AIza'], run(URL_SAFE, 35), asLongAs(URL_SAFE)),
  prefixed('SVC_KEY', ['svc-'], run('0-9a-f', 64), asLongAs('0-9a-f'), () => 1),
];

export const services: readonly Detector[] = [
  {
    // Bots of Telegram: https://core.telegram.org/bots/api#authorizing-your-bot
    entity: 'API_KEY',
    secret: sequence(run('0-9', 8, 10), text(':A'), run(URL_SAFE, 34)),
    contains: [':A'],
    notAfter: WORD,
    notBefore: URL_SAFE,
    judge: unlessPlaceholder,
  },
  {
    // Mailchimp names its data centre after the key.
    entity: 'API_KEY',
    secret: sequence(run('0-9a-f', 32), text('-us'), run('0-9', 1, 2)),
    contains: ['-us'],
    notAfter: WORD,
    notBefore: WORD,
    judge: unlessPlaceholder,
  },
  {
    // Facebook names the application before the key.
    entity: 'API_KEY',
    secret: sequence(run('0-9', 15, 16), text('|'), run(URL_SAFE, 27)),
    contains: ['|'],
    notAfter: WORD,
    notBefore: WORD,
    judge: unlessPlaceholder,
  },
  {
    // Bots of Discord: the number of the user in base64, a time, and a code.
    entity: 'API_KEY',
    secret: sequence(run('MNO', 1), run(ALNUM, 23, 25), text('.'), run(URL_SAFE, 6), text('.'), run(URL_SAFE, 27, 38)),
    notAfter: `${WORD}-`,
    notBefore: URL_SAFE,
    judge: unlessPlaceholder,
  },
  {
    // `scheme://user:password@host`
    entity: 'URL_PASSWORD',
    before: sequence(text('://'), run('^\\s:/@"\'<>', 0, 64), text(':')),
    contains: ['://'],
    secret: followedBy('@', run('^\\s@/"\'<>{}$', 3, 128)),
    notAfter: '',
    judge: (value) => (isDummy(value) ? 0 : 1),
  },
  {
    // The password of `curl -u user:password`.
    entity: 'BASIC_AUTH',
    before: sequence(
      text('curl'),
      run('^\\n', 0, 160),
      oneOf(...[' -u', ' --user', ' --proxy-user', ' -U'].map(text)),
      run(' =', 0, 2),
      run('"\'', 0, 1),
      run(`^\\s:"'`, 1, 64),
      text(':'),
    ),
    contains: ['curl'],
    secret: run('^\\s"\'', 3, 128),
    notAfter: '',
    judge: (value) => (/^(?:[$%][\w{(]|<|\{\{|(?:\*+|xxx+|\.{3})$)/i.test(value) || isDummy(value) ? 0 : 0.8),
  },
];
