import { holdsChecksum } from './checksum.ts';
import type { Detector } from './detector.ts';
import { unlessPlaceholder } from './entropy.ts';
import { followedBy, maybe, oneOf, run, sequence, text, words } from './shape.ts';
import { asLongAs } from './tails.ts';

const ALNUM = 'A-Za-z0-9';
const WORD = 'A-Za-z0-9_';
const URL_SAFE = 'A-Za-z0-9_-';

/** A valid checksum makes a token certain. Without one, the token may have a newer format. */
const checked = (value: string): number => (holdsChecksum(value) ? 1 : unlessPlaceholder(value));

export const services: readonly Detector[] = [
  {
    // Classic tokens, and OAuth, user, installation and refresh tokens; the last are longer.
    entity: 'GITHUB_TOKEN',
    secret: sequence(text('gh'), run('pousr', 1), text('_'), run(ALNUM, 36)),
    notAfter: WORD,
    continues: asLongAs(WORD),
    judge: checked,
  },
  {
    entity: 'GITHUB_TOKEN',
    secret: sequence(text('github_pat_'), run(ALNUM, 22), text('_'), run(ALNUM, 20)),
    notAfter: WORD,
    continues: asLongAs(WORD),
    judge: unlessPlaceholder,
  },
  {
    entity: 'GITLAB_TOKEN',
    secret: sequence(
      words('glpat-', 'glptt-', 'glrt-', 'gldt-', 'glcbt-', 'glft-', 'glimt-', 'glsoat-', 'glagent-', 'gloas-', 'GR1348941'),
      run(URL_SAFE, 20),
    ),
    notAfter: WORD,
    continues: asLongAs(`.${URL_SAFE}`),
    judge: unlessPlaceholder,
  },
  {
    entity: 'SLACK_TOKEN',
    secret: oneOf(
      sequence(maybe(text('xoxe.')), text('xox'), run('abeoprs', 1), text('-'), run(`${ALNUM}-`, 16)),
      sequence(text('xapp-'), run('0-9', 1), text('-'), run(`${ALNUM}-`, 16)),
    ),
    notAfter: WORD,
    continues: asLongAs(`${ALNUM}-`),
    judge: unlessPlaceholder,
  },
  {
    entity: 'SLACK_WEBHOOK',
    secret: sequence(text('hooks.slack.com/'), words('services/', 'workflows/', 'triggers/'), run('A-Za-z0-9/+_-', 20)),
    notAfter: WORD,
    continues: asLongAs('A-Za-z0-9/+_-'),
    judge: unlessPlaceholder,
  },
  {
    entity: 'STRIPE_KEY',
    secret: oneOf(
      sequence(words('sk_', 'rk_'), words('live_', 'test_', 'prod_'), run(ALNUM, 16)),
      sequence(text('whsec_'), run(ALNUM, 24)),
    ),
    notAfter: WORD,
    continues: asLongAs(WORD),
    judge: unlessPlaceholder,
  },
  { entity: 'NPM_TOKEN', secret: sequence(text('npm_'), run(ALNUM, 36)), notAfter: WORD, notBefore: WORD, judge: checked },
  {
    entity: 'OPENAI_KEY',
    secret: oneOf(
      sequence(words('sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'), run(URL_SAFE, 20)),
      sequence(text('sk-'), run(ALNUM, 40)),
    ),
    notAfter: WORD,
    continues: asLongAs(URL_SAFE),
    judge: unlessPlaceholder,
  },
  {
    entity: 'ANTHROPIC_KEY',
    secret: sequence(text('sk-ant-'), run('a-z', 3, 8), run('0-9', 2), text('-'), run(URL_SAFE, 20)),
    notAfter: WORD,
    continues: asLongAs(URL_SAFE),
    judge: unlessPlaceholder,
  },
  {
    // `scheme://user:password@host`
    entity: 'URL_PASSWORD',
    before: sequence(text('://'), run('^\\s:/@"\'<>', 0, 64), text(':')),
    secret: followedBy('@', run('^\\s@/"\'<>{}$', 1, 128)),
    notAfter: '',
  },
  { entity: 'SVC_KEY', secret: sequence(text('svc-'), run('0-9a-f', 64)), notAfter: WORD, notBefore: WORD },
];
