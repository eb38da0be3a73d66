import { Type } from 'typebox';
import { ChatMessage } from './chat.ts';
import { answerText, asker, closed, events, nullable, ref, routeName, runId, status, text } from './parts.ts';

// Optional fields declare no `default`: client generators would treat them as always present.
export const CreateRun = Type.Object(
  {
    route: Type.Optional(Type.String({ description: 'Name of the route. Default: `default`.' })),
    messages: Type.Array(ref(ChatMessage), { minItems: 1, description: 'The conversation so far.' }),
    approvers: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z0-9._@:+-]{1,128}$' }), {
        maxItems: 64,
        description:
          "Principals that may decide: a subset of the route's approvers, each with a key that has the role approve for the route. Default: all approvers of the route.",
      }),
    ),
    background: Type.Optional(Type.Boolean({ description: 'Return immediately with status `pending`. Default: false.' })),
  },
  {
    ...closed,
    $id: 'CreateRun',
    description: 'A governed run to create.',
  },
);

export const CreatedRun = Type.Object(
  {
    run_id: runId,
    status,
    response: answerText,
    principal_id: asker,
    events,
  },
  { $id: 'CreatedRun', description: 'A created run.' },
);

export const Run = Type.Object(
  {
    run_id: runId,
    route: routeName,
    principal_id: asker,
    status,
    approvers: Type.Array(Type.String(), { description: 'Principals that may decide; empty: any key with the role approve.' }),
    events,
    config_digest: text('SHA-256 of the configuration file when the run was created, as `sha256:` and hex.'),
    session: Type.Optional(text('The session of its principal that the client named.')),
    client: Type.Optional(text('Name of the client program, from its User-Agent.')),
    user: Type.Optional(text('Keyed digest of the user that the client named.')),
  },
  { $id: 'Run', description: 'A run and its history.' },
);

export const StoredRun = Type.Object(
  {
    ...Run.properties,
    created_at: Type.String({ format: 'date-time', description: 'Creation time of the run.' }),
    group: Type.Optional(
      Type.String({
        description:
          'Only for paused runs. The same value for all paused runs of the same request, which one decision applies to. No text can be derived from it.',
      }),
    ),
  },
  { $id: 'StoredRun', description: 'A run in the audit list.' },
);

export const Decide = Type.Object(
  {
    decision: Type.Enum(['approved', 'denied'], { description: 'The decision.' }),
    digest: Type.Optional(
      Type.String({
        description:
          '`digest` of the pending run: the decision is rejected (409) if the pending content has changed since it was read.',
      }),
    ),
  },
  { ...closed, $id: 'Decide', description: 'A decision on a paused run.' },
);

export const DecidedRun = Type.Object(
  { run_id: runId, status, response: answerText, events },
  { $id: 'DecidedRun', description: 'A run after a decision.' },
);

const protocol = Type.String({
  examples: ['openai.chat', 'openai.responses', 'anthropic.messages'],
  description: 'Protocol of the request: messages and answer have its form.',
});
const turn = Type.Record(Type.String(), Type.Unknown());
const answer = Type.Record(Type.String(), Type.Unknown());

export const PendingRun = Type.Object(
  {
    run_id: runId,
    route: routeName,
    principal_id: asker,
    stage: text('`ingress`: the request awaits approval; `egress`: the answer does.'),
    node: Type.String({ description: 'The guard that paused it.' }),
    code: Type.String({ description: 'Code of the guard or its rule.' }),
    protocol,
    messages: Type.Array(turn, { description: 'Messages, or items of an input, as edited by the guards so far.' }),
    parameters: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Other parameters of the request: tools, response_format and so on.',
    }),
    answer: nullable(answer, 'The answer awaiting approval, if the run paused in egress.'),
    digest: Type.String({ description: 'Digest of the content to decide on. Send it with the decision.' }),
    since: Type.String({ format: 'date-time', description: 'When it was paused.' }),
    expires_at: Type.String({ format: 'date-time', description: 'When the run is denied if there is no decision.' }),
  },
  {
    $id: 'PendingRun',
    description: 'The content that an approver decides on. `answer` is present if the run paused in egress.',
  },
);

export const RunResponse = Type.Object(
  {
    run_id: runId,
    status,
    response: answerText,
    protocol,
    completion: nullable(answer, 'The whole answer. Null: the run ended without one.'),
  },
  { $id: 'RunResponse', description: 'The answer of an ended run, while it is stored.' },
);

export const SentRequest = Type.Object(
  {
    run_id: runId,
    status,
    protocol,
    messages: nullable(
      Type.Array(turn),
      'The messages, or items of an input, with the edits of the guards; null if the model was not called, the request was not stored, or a response that it continues is no longer stored.',
    ),
    gone_run_id: nullable(
      runId,
      'The earlier run that stores the first messages. It was erased or has expired, so the messages cannot be shown.',
    ),
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: "The request's other fields." }),
  },
  { $id: 'SentRequest', description: 'The request sent to the model of an ended run, while it is stored.' },
);

export const ErasedRun = Type.Object(
  {
    run_id: runId,
    status,
    backups_unreadable: Type.Boolean({
      description:
        'Whether the content is also unreadable in existing backups of the store. If false, it stays readable there until `store.content_key` is replaced.',
    }),
  },
  { $id: 'ErasedRun', description: 'A run whose content was erased.' },
);
