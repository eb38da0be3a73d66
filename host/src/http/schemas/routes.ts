import { type Static, Type } from 'typebox';
import { configDigest, created, model, nullable, ref, routeName, text } from './parts.ts';

const modalities = (direction: string) =>
  Type.Array(Type.String(), {
    description: `Kinds of ${direction}, such as \`text\`, \`audio\`, \`image\` and \`video\`. Empty: not known.`,
  });

export const Model = Type.Object(
  {
    id: routeName,
    object: Type.Literal('model', { description: 'Constant.' }),
    created,
    owned_by: Type.String({ description: "The route's owner, or `svc`." }),
    context_length: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'Shortest context length of its models, from the price catalogue. Absent if not known for all of them.',
      }),
    ),
    architecture: Type.Optional(
      Type.Object(
        { input_modalities: modalities('input'), output_modalities: modalities('output') },
        {
          description: 'Input and output kinds that all of its models support, from the price catalogue. Absent if not known.',
        },
      ),
    ),
  },
  { $id: 'Model', description: 'A route as a model.' },
);

export const ModelList = Type.Object(
  {
    object: Type.Literal('list', { description: 'Constant.' }),
    data: Type.Array(ref(Model), { description: 'The routes that the key may call.' }),
  },
  { $id: 'ModelList', description: 'One entry per route.' },
);

export const RouteNode = Type.Object(
  {
    name: text('Its key under `packs`.'),
    type: text('Type of the guard.'),
    package: text('Package of the guard.'),
    version: text('Version of the package.'),
    mode: Type.String({ description: 'enforce or observe.' }),
    verdicts: Type.Array(Type.String(), { description: 'Verdicts that it can return besides allow.' }),
  },
  { $id: 'RouteNode', description: 'A guard of a pipeline.' },
);

const weight = nullable(Type.Number(), 'Its share of the runs. Null: it is the only provider, or a fallback.');

/** Named `Route` in the API. Unlike the configuration's `Route`, this is the public view of a route. */
export const RouteView = Type.Object(
  {
    name: routeName,
    owner: nullable(Type.String(), 'Owner of the route, from the configuration.'),
    risk_rating: nullable(Type.String(), 'Risk rating, from the configuration.'),
    review_interval_days: nullable(Type.Integer(), 'Days between reviews, from the configuration.'),
    residency: Type.Array(Type.String(), { description: 'Regions where its providers may run; empty: any.' }),
    approvers: Type.Array(Type.String(), { description: 'Principals that may decide; empty: any key with the role approve.' }),
    escalate: Type.Union(
      [
        Type.Object({
          after_s: Type.Integer({ minimum: 1, description: 'Seconds after the pause.' }),
          approvers: Type.Array(Type.String(), { description: 'Principals, and groups as `group/NAME`.' }),
        }),
        Type.Null(),
      ],
      { description: 'Who else may decide on a run that is still paused after a time. Null: nobody.' },
    ),
    provider: Type.Object(
      {
        name: text('Its key under `providers`.'),
        type: text('Type of the provider.'),
        region: nullable(Type.String(), 'Region of the provider, from the configuration.'),
        model,
        weight,
      },
      { description: 'The primary provider.' },
    ),
    fallbacks: Type.Array(Type.Object({ name: text('Its key under `providers`.'), model, weight }), {
      description:
        'Providers that share the runs with the primary one (`weight` is set), and fallbacks that are tried when it fails (`weight` is null).',
    }),
    pipeline: Type.Object(
      {
        ingress: Type.Array(ref(RouteNode), { description: 'Guards that check the request.' }),
        egress: Type.Array(ref(RouteNode), { description: 'Guards that check the answer.' }),
      },
      { description: 'Its guards, in order.' },
    ),
    stops: Type.Enum(['text', 'refusal', 'error'], { description: 'How a stopped request is reported to the client.' }),
    streams: Type.Enum(['as-it-comes', 'when-judged'], {
      description: 'When a streamed answer is sent: while the model generates it, or after the guards have checked all of it.',
    }),
  },
  { $id: 'Route', description: "A route's attributes and nodes." },
);

export type RouteView = Static<typeof RouteView>;

export const RouteList = Type.Object(
  {
    routes: Type.Array(ref(RouteView), { description: 'In the order of the configuration.' }),
    caller: Type.Object(
      {
        principal_id: text('Principal that created the run.'),
        roles: Type.Array(Type.String(), { description: 'Roles of the key.' }),
      },
      { description: 'The principal of the key.' },
    ),
  },
  { $id: 'RouteList', description: 'The routes that the key may use.' },
);

export const Health = Type.Object(
  {
    status: Type.String({
      description: '`ok`; `unavailable` while new runs are refused; `stopping` during shutdown.',
    }),
    reason: Type.Optional(
      Type.String({
        description:
          'Why it is `unavailable`: `store`, evidence cannot be written; `timestamp`, a required time stamp of the ledger is overdue.',
      }),
    ),
    config_digest: configDigest,
    config_path: text('The configuration file.'),
  },
  { $id: 'Health', description: 'Health of the gateway and digest of its configuration.' },
);
