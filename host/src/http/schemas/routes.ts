import { type Static, Type } from 'typebox';
import { configDigest, created, model, nullable, ref, routeName, text } from './parts.ts';

export const Model = Type.Object(
  {
    id: routeName,
    object: Type.Literal('model', { description: 'Constant.' }),
    created,
    owned_by: Type.String({ description: "The route's owner, else `svc`." }),
  },
  { $id: 'Model', description: 'A route, as the models endpoint lists it.' },
);

export const ModelList = Type.Object(
  {
    object: Type.Literal('list', { description: 'Constant.' }),
    data: Type.Array(ref(Model), { description: 'The routes that the key may call.' }),
  },
  { $id: 'ModelList', description: 'One entry a route.' },
);

export const RouteNode = Type.Object(
  {
    name: text('Its key under `packs`.'),
    type: text('Type of the guard.'),
    package: text('Package that it comes from.'),
    version: text('Version of the package.'),
    mode: Type.String({ description: 'enforce or observe.' }),
    verdicts: Type.Array(Type.String(), { description: 'What it may answer beside allow.' }),
  },
  { $id: 'RouteNode', description: 'A guard of a pipeline.' },
);

export const Route = Type.Object(
  {
    name: routeName,
    owner: nullable(Type.String(), 'As configured.'),
    risk_rating: nullable(Type.String(), 'As configured.'),
    review_interval_days: nullable(Type.Integer(), 'As configured.'),
    residency: Type.Array(Type.String(), { description: 'Regions that its providers may be in; empty: any.' }),
    approvers: Type.Array(Type.String(), { description: 'Who may decide; empty: anyone with a key.' }),
    provider: Type.Object(
      {
        name: text('Its key under `providers`.'),
        type: text('Type of the provider.'),
        region: nullable(Type.String(), 'As configured.'),
        model,
      },
      { description: 'Who is asked first.' },
    ),
    fallbacks: Type.Array(Type.Object({ name: text('Its key under `providers`.'), model }), {
      description: 'Providers that are tried when the first fails.',
    }),
    pipeline: Type.Object(
      {
        ingress: Type.Array(ref(RouteNode), { description: 'They see the request.' }),
        egress: Type.Array(ref(RouteNode), { description: 'They see the answer.' }),
      },
      { description: 'Its guards, in order.' },
    ),
    streams: Type.Enum(['as-it-comes', 'when-judged'], {
      description: 'When a streamed answer leaves: as the model writes it, or after the guards have seen the whole.',
    }),
  },
  { $id: 'Route', description: "A route's attributes and nodes." },
);

export type Route = Static<typeof Route>;

export const RouteList = Type.Object(
  {
    routes: Type.Array(ref(Route), { description: 'In the order of the configuration.' }),
    caller: Type.Object(
      {
        principal_id: text('Who asked.'),
        roles: Type.Array(Type.String(), { description: 'What the key is for.' }),
      },
      { description: 'Whose key asked.' },
    ),
  },
  { $id: 'RouteList', description: 'The routes that the key is for.' },
);

export const Health = Type.Object(
  {
    status: Type.String({
      description: '`ok`; `unavailable` while evidence cannot be written; `stopping` once it was told to stop.',
    }),
    config_digest: configDigest,
    config_path: text('The configuration file.'),
  },
  { $id: 'Health', description: 'Whether the gateway works, and with which configuration.' },
);
