import type { Detector, Tail } from './detector.ts';
import { looksRandom, unlessExample, unlessPlaceholder } from './entropy.ts';
import { oneOf, run, type Shape, sequence, text } from './shape.ts';
import { asLongAs } from './tails.ts';

const ALNUM = 'A-Za-z0-9';
const LOWER = 'a-z0-9';
const UPPER = 'A-Z0-9';
const HEX = '0-9A-Fa-f';
const WORD = 'A-Za-z0-9_';
const URL_SAFE = 'A-Za-z0-9_-';
const DOTTED = 'A-Za-z0-9_.-';
const BASE64 = 'A-Za-z0-9+/';
const BECH32 = 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L';

/** A detector whose secrets begin with one of these texts. */
export interface Prefixed extends Detector {
  readonly prefixes: readonly string[];
}

/** The confidence in a key. `rest`: the key without its prefix. */
type Judge = (value: string, rest: string) => number;

/** A row: the kind, the service, prefixes separated by spaces, the characters after them, and the shortest length of those. */
type Row = readonly [
  entity: string,
  service: string,
  prefixes: string,
  characters: string,
  shortest: number,
  more?: {
    /** Characters that a longer secret continues with. Default: those of the row. */
    readonly rest?: string;
    readonly judge?: Judge;
  },
];

/** For prefixes that are also the beginnings of names: the rest must look random. */
const random: Judge = (value, rest) => (looksRandom(rest) ? unlessPlaceholder(value) : 0);
const certain = (): number => 1;

/**
 * Formats of keys that begin with a text of their own, by purpose. Keys without one are found after their name. The formats were developed with the test
 * cases of other tools (README.md). Not every one was compared with the vendor's documentation.
 */
const ROWS: readonly Row[] = [
  // Models and their tools.
  ['API_KEY', 'Hugging Face', 'hf_ api_org_', 'A-Za-z', 34, { rest: ALNUM }],
  ['API_KEY', 'Replicate', 'r8_', ALNUM, 37],
  ['API_KEY', 'Groq', 'gsk_', ALNUM, 40],
  ['API_KEY', 'xAI', 'xai-', ALNUM, 60],
  ['API_KEY', 'Perplexity', 'pplx-', ALNUM, 40],
  ['API_KEY', 'OpenRouter', 'sk-or-v1- sk-or-', ALNUM, 40],
  ['API_KEY', 'NVIDIA', 'nvapi-', URL_SAFE, 40],
  ['API_KEY', 'Cerebras', 'csk-', LOWER, 40],
  ['API_KEY', 'Together', 'tgp_v1_', URL_SAFE, 30],
  ['API_KEY', 'Pinecone', 'pcsk_', WORD, 40],
  ['API_KEY', 'LangSmith', 'lsv2_pt_ lsv2_sk_', HEX, 32, { rest: WORD }],
  ['API_KEY', 'Langfuse', 'sk-lf- pk-lf-', `${HEX}-`, 36],
  ['API_KEY', 'Tavily', 'tvly-', URL_SAFE, 24],
  ['API_KEY', 'Jina', 'jina_', URL_SAFE, 40],
  ['API_KEY', 'Voyage', 'pa-', URL_SAFE, 43, { judge: random }],
  ['API_KEY', 'DeepSeek', 'sk-', HEX, 32],
  ['API_KEY', 'ElevenLabs', 'sk_', HEX, 48],
  ['API_KEY', 'PhotoRoom', 'sk_pr_ sandbox_sk_pr_', WORD, 30],
  ['API_KEY', 'Voiceflow', 'VF.DM. VF.WS.', DOTTED, 30],
  ['API_KEY', 'Apify', 'apify_api_', ALNUM, 30],
  ['API_KEY', 'Bedrock', 'ABSK bedrock-api-key-', `${BASE64}=`, 16, { judge: random }],
  // Code, packages and builds.
  ['GITHUB_TOKEN', 'GitHub', 'ghs_', WORD, 16, { rest: DOTTED, judge: (value) => (/^ghs_\d+_eyJ/.test(value) ? 1 : 0) }],
  ['GITLAB_TOKEN', 'GitLab', 'glffct- glwt- _gitlab_session=', URL_SAFE, 20],
  ['API_KEY', 'Bitbucket', 'ATBB ATCTT3xFfG', `=${URL_SAFE}`, 24, { judge: random }],
  ['API_KEY', 'Bitbucket', 'BBDC-', `${BASE64}@_-`, 40, { judge: certain }],
  ['API_KEY', 'Atlassian', 'ATATT3xFfG', `=${URL_SAFE}`, 60],
  ['API_KEY', 'Sourcegraph', 'sgp_ slk_', WORD, 40],
  ['API_KEY', 'Linear', 'lin_api_ lin_oauth_', ALNUM, 32],
  ['API_KEY', 'Sentry', 'sntrys_ sntryu_ sntrya_', `${BASE64}=_-`, 40],
  ['API_KEY', 'Sonar', 'sqp_ squ_ sqa_', ALNUM, 40],
  ['API_KEY', 'Snyk', 'snyk_uat. snyk_sat.', DOTTED, 30],
  ['API_KEY', 'CircleCI', 'CCIPAT_ CCIPRJ_', WORD, 30],
  ['API_KEY', 'Buildkite', 'bkua_ bkat_ bkct_', ALNUM, 40],
  ['API_KEY', 'Harness', 'pat. sat.', DOTTED, 60, { judge: random }],
  ['API_KEY', 'Postman', 'PMAK-', `${HEX}-`, 50],
  ['API_KEY', 'PyPI', 'pypi-AgEIcHlwaS5vcmc pypi-AgENdGVzdC5weXBpLm9yZw', URL_SAFE, 64],
  ['API_KEY', 'RubyGems', 'rubygems_', HEX, 48],
  ['API_KEY', 'crates.io', 'cio', ALNUM, 32, { judge: random }],
  ['API_KEY', 'NuGet', 'oy2', LOWER, 43, { judge: random }],
  ['API_KEY', 'Clojars', 'CLOJARS_ clojars_', LOWER, 60],
  ['API_KEY', 'Docker', 'dckr_pat_ dckr_oat_', URL_SAFE, 27],
  ['API_KEY', 'Docker Swarm', 'SWMTKN-1- SWMKEY-1-', `${LOWER}A-Z+/-`, 43],
  ['API_KEY', 'JFrog', 'AKCp cmVmdGtu', ALNUM, 56],
  ['API_KEY', 'Octopus', 'API-', UPPER, 26, { judge: random }],
  ['API_KEY', 'Spectral', 'spu- sps-', LOWER, 32, { judge: certain }],
  ['API_KEY', 'Infracost', 'ico-', ALNUM, 32],
  ['API_KEY', 'Endor', 'endr+', URL_SAFE, 16],
  ['API_KEY', 'ReadMe', 'rdme_', LOWER, 60],
  // Infrastructure.
  ['API_KEY', 'Vault', 'hvs. hvb. hvr.', URL_SAFE, 24],
  [
    'API_KEY',
    'Vault',
    's.',
    ALNUM,
    18,
    { rest: DOTTED, judge: (value, rest) => (value.replace(/\D/g, '').length >= 4 ? random(value, rest) : 0) },
  ],
  ['API_KEY', 'Terraform', 'atlasv1.', `=${URL_SAFE}`, 60],
  ['API_KEY', 'Pulumi', 'pul-', HEX, 40],
  ['API_KEY', 'Prefect', 'pnu_ pnb_', LOWER, 36],
  ['API_KEY', 'Doppler', 'dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', DOTTED, 40],
  ['API_KEY', 'DigitalOcean', 'dop_v1_ doo_v1_ dor_v1_', HEX, 64],
  ['API_KEY', 'Databricks', 'dapi dkea dose', HEX, 32, { rest: `${HEX}-` }],
  ['API_KEY', 'Heroku', 'HRKU-', URL_SAFE, 36],
  ['API_KEY', 'Fly.io', 'fo1_ fm1_ fm2_ fm1r_ fm1a_', `${BASE64}=_-`, 40],
  ['API_KEY', 'Vercel', 'vcp_ vci_ vca_ vcr_ vck_', ALNUM, 24],
  ['API_KEY', 'Netlify', 'nfp_ nfo_ nfc_ nfu_ nfb_', ALNUM, 36],
  ['API_KEY', 'Render', 'rnd_', ALNUM, 28],
  ['API_KEY', 'Scalingo', 'tk-us-', URL_SAFE, 48],
  ['API_KEY', 'Cloudflare', 'v1.0-', `${HEX}-`, 100],
  ['API_KEY', 'Cloudflare', 'cfut_ cfat_ cfk_', URL_SAFE, 40],
  ['API_KEY', 'PlanetScale', 'pscale_tkn_ pscale_oauth_ pscale_pw_', URL_SAFE, 30],
  ['API_KEY', 'Supabase', 'sbp_ sb_secret_ sbp_oauth_', URL_SAFE, 31],
  ['API_KEY', 'Neon', 'napi_', LOWER, 40],
  ['API_KEY', 'MongoDB Atlas', 'mdb_sa_sk_', URL_SAFE, 40],
  ['API_KEY', 'Aiven', 'AVNS_', URL_SAFE, 16, { judge: random }],
  ['API_KEY', 'ClickHouse', '4b1d', ALNUM, 38, { judge: random }],
  ['API_KEY', 'Confluent', 'cflt', `${BASE64}=`, 56],
  ['API_KEY', 'Tailscale', 'tskey-', `${ALNUM}-`, 20],
  ['API_KEY', 'OpenShift', 'sha256~', URL_SAFE, 43],
  ['API_KEY', 'K3s', 'K10', HEX, 64, { rest: `:${WORD}` }],
  ['API_KEY', '1Password', 'ops_eyJ', `${BASE64}=_-`, 100],
  ['API_KEY', '1Password', 'A3-', `${UPPER}-`, 32, { judge: random }],
  ['API_KEY', 'age', 'AGE-SECRET-KEY-1', BECH32, 58, { judge: certain }],
  ['API_KEY', 'age', 'AGE-SECRET-KEY-PQ-1 AGE-PLUGIN-', `${BECH32}-`, 58, { judge: certain }],
  ['API_KEY', 'Grafana', 'glsa_', WORD, 40],
  ['API_KEY', 'Grafana', 'glc_', BASE64, 40, { rest: `${BASE64}=` }],
  ['API_KEY', 'Grafana', 'eyJrIjoi', `${BASE64}=`, 60],
  ['API_KEY', 'New Relic', 'NRAK- NRII- NRRA- NRAA-', URL_SAFE, 27],
  ['API_KEY', 'New Relic', 'NRJS-', HEX, 19],
  ['API_KEY', 'Dynatrace', 'dt0c01. dt0s01. dt0s02. dt0s03. dt0s04. dt0s06. dt0s08. dt0s16.', `${ALNUM}.`, 80],
  ['API_KEY', 'Honeycomb', 'hcaik_ hcalk_ hcxik_ hcxlk_ hcamk_', LOWER, 50],
  ['API_KEY', 'LaunchDarkly', 'sdk- mob- api-', `${HEX}-`, 36],
  ['API_KEY', 'PostHog', 'phc_ phx_ phs_', ALNUM, 36],
  ['API_KEY', 'Statsig', 'secret- client-', ALNUM, 40, { judge: random }],
  ['API_KEY', 'Defined Networking', 'dnkey-', URL_SAFE, 50],
  ['API_KEY', 'Alibaba Cloud', 'LTAI', ALNUM, 16, { judge: random }],
  ['API_KEY', 'Tencent Cloud', 'AKID', ALNUM, 32],
  ['API_KEY', 'Scaleway', 'SCW', UPPER, 17, { judge: random }],
  ['API_KEY', 'Yandex', 'AQVN AQAA', URL_SAFE, 32, { judge: random }],
  ['API_KEY', 'Yandex', 't1. y0_ y1_ y2_ y3_', DOTTED, 50, { rest: `=${DOTTED}`, judge: random }],
  ['API_KEY', 'Yandex', 'YCA YCM YCP YCN YCO', URL_SAFE, 37, { judge: random }],
  ['API_KEY', 'Azure', 'AZDO', ALNUM, 40],
  // Work and content.
  ['API_KEY', 'Notion', 'ntn_', ALNUM, 43],
  ['API_KEY', 'Notion', 'secret_', ALNUM, 43],
  ['API_KEY', 'Airtable', 'pat', DOTTED, 79, { judge: (value) => (/^pat\w{14}\.[0-9a-f]{64}/i.test(value) ? 1 : 0) }],
  ['API_KEY', 'Figma', 'figd_ figdr_ figo_ figor_', URL_SAFE, 36],
  ['API_KEY', 'Typeform', 'tfp_', URL_SAFE, 36, { rest: DOTTED }],
  ['API_KEY', 'Contentful', 'CFPAT-', URL_SAFE, 40],
  ['API_KEY', 'HubSpot', 'pat-na1- pat-na2- pat-eu1- pat-ap1-', `${HEX}-`, 36],
  ['API_KEY', 'Intercom', 'dG9rO', `${BASE64}=`, 50],
  ['API_KEY', 'Slack', 'xoxe-1- xoxd- xwfp-', `${ALNUM}%+/=-`, 40],
  ['API_KEY', 'Dropbox', 'sl.', URL_SAFE, 100, { rest: DOTTED }],
  ['API_KEY', 'Trello', 'ATTA', HEX, 64],
  ['API_KEY', 'Frame.io', 'fio-u-', URL_SAFE, 48],
  ['API_KEY', 'Mapbox', 'pk.eyJ sk.eyJ tk.eyJ', DOTTED, 60],
  ['API_KEY', 'Zoho', '1000.', `${HEX}.`, 60],
  // The example in the vendor's documentation begins with 21 of these letters.
  ['API_KEY', 'Twitter', 'AAAAAAAAAAAAAAAAAAAA', `${ALNUM}%`, 72, { judge: random }],
  ['API_KEY', 'Facebook', 'EAA', ALNUM, 90, { judge: random }],
  ['API_KEY', 'Instagram', 'IGQ IGA', URL_SAFE, 100],
  ['API_KEY', 'Ubidots', 'BBFF- BBUS-', ALNUM, 30],
  ['API_KEY', 'BestTime', 'pri_ pub_', HEX, 32],
  ['API_KEY', 'Alchemy', 'alcht_ alch_', ALNUM, 28],
  ['API_KEY', 'SettleMint', 'sm_pat_ sm_sat_ sm_aat_', ALNUM, 16, { judge: random }],
  [
    'API_KEY',
    'Authress',
    'sc_ ext_ scauth_ authress_',
    DOTTED,
    40,
    // The client, the key, the account and the private key.
    { judge: (value) => (value.split('.')[2]?.startsWith('acc') === true ? 1 : 0) },
  ],
  ['API_KEY', '42', 's-s4t2ud- s-s4t2af-', HEX, 64],
  ['API_KEY', 'Beamer', 'b_', BASE64, 40, { rest: `${BASE64}=`, judge: random }],
  ['API_KEY', 'PubNub', 'sub-c- pub-c- sec-c-', URL_SAFE, 36],
  ['API_KEY', 'Adobe', 'p8e- p8-', URL_SAFE, 32, { judge: random }],
  ['API_KEY', 'Stytch', 'secret-live- secret-test-', URL_SAFE, 28, { rest: `=${URL_SAFE}` }],
  ['API_KEY', 'Onfido', 'api_live. api_sandbox. api_live_ api_sandbox_', DOTTED, 30],
  // Mail and messages.
  ['API_KEY', 'SendGrid', 'SG.', DOTTED, 60, { judge: random }],
  ['API_KEY', 'Brevo', 'xkeysib- xsmtpsib-', URL_SAFE, 64],
  ['API_KEY', 'Mailgun', 'key- pubkey-', LOWER, 32, { judge: random }],
  ['API_KEY', 'MailerSend', 'mlsn.', ALNUM, 40],
  ['API_KEY', 'Resend', 're_', WORD, 24, { judge: random }],
  ['API_KEY', 'Twilio', 'SK AC', HEX, 32],
  ['API_KEY', 'Klaviyo', 'pk_', HEX, 34],
  // Shops and payments.
  ['API_KEY', 'Shopify', 'shpat_ shpca_ shppa_ shpss_ shptka_ shpua_', ALNUM, 32],
  ['API_KEY', 'Square', 'sq0atp- sq0csp- sq0idp-', URL_SAFE, 22],
  ['API_KEY', 'Square', 'EAAA', URL_SAFE, 56],
  ['API_KEY', 'PayPal', 'access_token$production$ access_token$sandbox$', `${LOWER}$`, 40],
  ['API_KEY', 'Plaid', 'access-sandbox- access-production- access-development-', `${HEX}-`, 36],
  ['API_KEY', 'Flutterwave', 'FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-', `${ALNUM}-`, 12],
  ['API_KEY', 'Razorpay', 'rzp_live_ rzp_test_', ALNUM, 14],
  ['API_KEY', 'GoCardless and Lob', 'live_ test_ live_pub_ test_pub_', URL_SAFE, 32, { judge: random }],
  ['API_KEY', 'EasyPost', 'EZAK EZTK', ALNUM, 54],
  ['API_KEY', 'Shippo', 'shippo_live_ shippo_test_', HEX, 40],
  ['API_KEY', 'Duffel', 'duffel_live_ duffel_test_', URL_SAFE, 36],
  // Links whose text is the secret.
  ['WEBHOOK', 'Teams', 'webhook.office.com/webhookb2/ outlook.office.com/webhook/', 'A-Za-z0-9@/-', 60],
  ['WEBHOOK', 'Discord', 'discord.com/api/webhooks/ discordapp.com/api/webhooks/', 'A-Za-z0-9_/-', 60],
  ['WEBHOOK', 'Zapier', 'hooks.zapier.com/hooks/catch/', 'A-Za-z0-9_/-', 12],
  ['WEBHOOK', 'Google Chat', 'chat.googleapis.com/v1/spaces/', 'A-Za-z0-9_/?=&%.-', 60],
];

/** Base64 of a secret that has a form of its own: the header of a signed token, or the first line of a private key. */
const ENCODED: readonly Row[] = [
  ['JWT', '', 'ZXlK', BASE64, 24, { rest: `${BASE64}=_-`, judge: (value) => (/^eyJ[\w.-]*$/.test(decoded(value)) ? 1 : 0) }],
  [
    'PRIVATE_KEY',
    '',
    'LS0tLS1CRUdJTi',
    BASE64,
    40,
    { rest: `${BASE64}=`, judge: (value) => (/PRIVATE KEY/.test(decoded(value)) ? 1 : 0) },
  ],
];

const decoded = (value: string): string => Buffer.from(value, 'base64').toString('latin1');

function detectorOf([entity, , prefixes, characters, shortest, { rest = characters, judge } = {}]: Row): Prefixed {
  const list = prefixes.split(' ');
  const longestFirst = list.toSorted((a, b) => b.length - a.length);
  const restOf = (value: string): string => value.slice(longestFirst.find((prefix) => value.startsWith(prefix))?.length);
  return prefixed(entity, list, run(characters, shortest), asLongAs(rest), judge && ((value) => judge(value, restOf(value))));
}

/** Prefixes of this length are the beginning of nothing else. */
const CERTAIN_PREFIX = 6;

function defaultJudge(prefixes: readonly string[]): (value: string) => number {
  return prefixes.every(({ length }) => length >= CERTAIN_PREFIX) ? unlessExample : unlessPlaceholder;
}

/** A secret that begins with one of these texts. */
export function prefixed(
  entity: string,
  prefixes: readonly string[],
  rest: Shape,
  continues: Tail,
  judge = defaultJudge(prefixes),
): Prefixed {
  const secret = sequence(oneOf(...prefixes.map(text)), rest);
  return { entity, prefixes, secret, notAfter: WORD, continues, judge };
}

/** Keys that begin with a text of their own. If two begin at the same place, the longer prefix wins. */
export const formats: readonly Prefixed[] = [...ROWS, ...ENCODED].map(detectorOf);

/** The services whose keys and links are found by their form, sorted, without those that have a kind of their own. */
export const SERVICES: readonly string[] = [
  ...new Set(ROWS.flatMap(([entity, service]) => (entity === 'API_KEY' || entity === 'WEBHOOK' ? [service] : []))),
].toSorted((a, b) => a.localeCompare(b, 'en'));
