import { TEXT_ORIGINS } from '@svc/contracts';
import { ROUTE_DEFAULTS } from '@svc/kernel/routes';
import { type Static, Type } from 'typebox';
import { DURATION_PATTERN } from './duration.ts';
import type { Reader } from './reader.ts';
import { closed } from './schema-parts.ts';

export const ROUTE_NAME = {
  pattern: '^(?:[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}\\*?|\\*)$',
  title: 'up to 128 letters, digits or any of . _ : / @ -, optionally followed by *',
};
/** A principal, or `group/` and a name. Neither can be mistaken for the other. */
const APPROVER = {
  pattern: '^(?:group/)?[A-Za-z0-9._@:+-]{1,128}$',
  title: 'a principal, or group/ and the name of a group',
};
const ASKED = 'Default for a route whose name ends in `*`: the model that the client requests.';

const stage = (description: string) => Type.Array(Type.String(), { uniqueItems: true, default: [], description });

export const RouteSchema = closed(
  {
    provider: Type.Optional(Type.String({ minLength: 1, description: 'Key of a provider. Not with `endpoints`.' })),
    model: Type.Optional(
      Type.String({ minLength: 1, description: `The provider's name for the model. Not with \`endpoints\`. ${ASKED}` }),
    ),
    endpoints: Type.Optional(
      Type.Array(
        closed({
          provider: Type.String({ minLength: 1, description: 'Key of a provider.' }),
          model: Type.Optional(Type.String({ minLength: 1, description: `The provider's name for the model. ${ASKED}` })),
          weight: Type.Number({
            exclusiveMinimum: 0,
            maximum: 1_000_000,
            default: 1,
            description: 'Share of the runs, relative to the weights of the other endpoints.',
          }),
        }),
        {
          minItems: 1,
          description:
            'Instead of `provider` and `model`: runs are distributed by weight. After a failure, the other endpoints are tried, then the `fallbacks`.',
        },
      ),
    ),
    affinity: Type.Enum(['cache', 'principal', 'none'], {
      default: 'cache',
      description:
        '`cache`: requests of one principal that name the same cache (`prompt_cache_key`, or a prefix with `cache_control`) go to the same endpoint, which has that cache. `principal`: requests that name no cache also go to one endpoint per principal. `none`: each run is assigned by weight.',
    }),
    retries: Type.Integer({
      default: 0,
      minimum: 0,
      maximum: 10,
      description:
        'Maximum number of retries at the same endpoint after a 429 or a failure without cost. The delay before each retry grows, up to 10 s.',
    }),
    fallbacks: Type.Array(
      closed({
        provider: Type.String({ minLength: 1, description: 'Key of a provider.' }),
        model: Type.Optional(Type.String({ minLength: 1, description: `The provider's name for the model. ${ASKED}` })),
      }),
      {
        default: [],
        description:
          "Tried in this order if no earlier endpoint can be called, or if the provider is busy (429), fails (5xx), refuses the gateway's key, account or model (401 to 404), is unreachable, times out, or sends an invalid answer.",
      },
    ),
    owner: Type.Optional(Type.String({ minLength: 1, description: 'Owner of the route, for the inventory.' })),
    risk_rating: Type.Optional(Type.String({ minLength: 1, description: 'Risk rating, for the inventory.' })),
    review_interval_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500, description: 'Days between reviews.' })),
    residency: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        minItems: 1,
        uniqueItems: true,
        description: 'Regions where data may be sent. Default: any.',
      }),
    ),
    approvers: Type.Array(Type.String(APPROVER), {
      uniqueItems: true,
      default: [],
      description:
        'Who can decide on a paused run: principals, and groups as `group/NAME`. Each person needs a key or token with the role approve for the route. Empty: anyone with the role.',
    }),
    approvals: Type.Integer({
      minimum: 1,
      maximum: 10,
      default: 1,
      description: 'How many different people must approve a paused run. A single denial ends it.',
    }),
    escalate: Type.Optional(
      closed(
        {
          after: Type.String({
            pattern: DURATION_PATTERN,
            title: 'a whole number with s, m, h or d, such as 4h',
            description: 'How long after the pause. Must be shorter than `approvals.expire_after`.',
          }),
          approvers: Type.Array(Type.String(APPROVER), {
            minItems: 1,
            uniqueItems: true,
            description: 'Who may also decide after that time: principals, and groups as `group/NAME`.',
          }),
        },
        {
          description:
            'Additional approvers for a run that is still paused after the given time. Only with `approvers`. Default: none.',
        },
      ),
    ),
    approval_wait_ms: Type.Integer({
      minimum: 0,
      maximum: 3_600_000,
      default: 0,
      description: 'How long a paused chat request waits for a decision before the pause is returned, in milliseconds.',
    }),
    self_approval: Type.Boolean({ default: true, description: 'Whether the creator of a run can also decide on it.' }),
    approval_reason: Type.Enum(['optional', 'required'], {
      default: 'optional',
      description: 'Whether a decision on a paused run needs a reason.',
    }),
    approval_passkey: Type.Enum(['none', 'optional', 'required'], {
      default: 'none',
      description:
        'Whether approvers sign their decisions with a passkey. `optional`: people who have registered one sign when they decide on the page. `required`: everyone must sign, so keys cannot decide. Requires `auth.passkeys`, and an issuer so that people can sign in on the pages.',
    }),
    unscannable: Type.Enum(['pass', 'block', 'require_approval'], {
      default: 'pass',
      description: 'What happens to parts that guards cannot read (images, audio, files).',
    }),
    untrusted: Type.Array(Type.Enum(TEXT_ORIGINS.filter((origin) => origin !== 'unknown')), {
      uniqueItems: true,
      default: [...ROUTE_DEFAULTS.untrusted],
      description:
        'Origins of texts that guards treat as untrusted, so that stricter thresholds apply: `tool` (results of tools), `document` (documents, files and search results), `retrieved` (what guards add), `assistant`, `user`, `system`, `request` (definitions of tools and other parameters). Texts whose origin is unknown are always untrusted.',
    }),
    embeddings: Type.Enum(['block', 'mask'], {
      default: 'block',
      description:
        'What happens if a guard would mask a text of `/v1/embeddings`. `mask` embeds the masked text, so that searches for the masked values do not find it.',
    }),
    vendor_tools: Type.Array(
      Type.String({ pattern: '^[a-z][a-z0-9_]{0,63}$', title: 'the type of a tool, such as web_search' }),
      {
        uniqueItems: true,
        default: [],
        description:
          "Types of a vendor's own tools, such as `web_search`, that requests may use. A type without a date covers all its versions. If a tool runs at the vendor, guards see only what the vendor reports about its calls. Other types are removed from requests and listed in `x-svc-unsupported`.",
      },
    ),
    stops: Type.Enum(['text', 'refusal', 'error'], {
      default: 'text',
      description:
        "What a client gets if a guard or an approver stops its request: a text instead of the answer, a refusal in the API's format, or an error. See [stops](http.md#stops).",
    }),
    description: Type.Optional(Type.String({ description: 'Purpose of the route, for the inventory.' })),
    version: Type.Optional(
      Type.String({ minLength: 1, description: 'Version of the model or of this route, for the inventory.' }),
    ),
    origin: Type.Optional(
      Type.String({
        minLength: 1,
        description: "Source of the model, for the inventory. Default: the provider's name and region.",
      }),
    ),
    last_review: Type.Optional(
      Type.String({
        format: 'date',
        title: 'a date such as 2026-01-31',
        description: 'Day of the most recent review, for the inventory.',
      }),
    ),
    approved_uses: Type.Record(Type.String(), Type.Unknown(), { default: {}, description: 'Approved uses, for the inventory.' }),
    limitations: Type.Array(Type.String(), { default: [], description: 'Known limitations, for the inventory.' }),
    data_sources: Type.Array(Type.String(), { default: [], description: 'Data sources, for the inventory.' }),
    monitoring_status: Type.Optional(
      Type.String({ minLength: 1, description: 'How the model is monitored, for the inventory.' }),
    ),
    pipeline: closed(
      {
        ingress: stage('Packs that check the request, in this order.'),
        egress: stage('Packs that check the answer, in this order.'),
      },
      { default: {}, description: 'Packs that check requests and answers.' },
    ),
  },
  {
    description:
      'A route: the name that clients send as `model`. A route whose name ends in `*` serves every model with that prefix. An exact name wins, then the longest prefix.',
  },
);
export type Route = Static<typeof RouteSchema>;

/** The section `routes`. */
export interface RoutesPart {
  readonly routes: ReadonlyMap<string, Route>;
}

/** `lintRoutes` checks them, because they depend on most other sections. */
export const readRoutes: Reader<RoutesPart> = (_, { entries }) => ({ routes: entries.routes.valid });
