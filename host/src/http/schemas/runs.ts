import { Type } from 'typebox';
import { ChatCompletion, ChatMessage } from './chat.ts';
import { answerText, asker, events, nullable, open, ref, routeName, runId, status, text } from './parts.ts';

// What may be left out declares no `default`: generators of clients take such a field for one that is always there.
export const CreateRun = Type.Object(
  {
    route: Type.Optional(Type.String({ description: 'Name of the route. Left out: `default`.' })),
    messages: Type.Array(ref(ChatMessage), { minItems: 1, description: 'The conversation so far.' }),
    approvers: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z0-9._@:+-]{1,128}$' }), {
        maxItems: 64,
        description:
          "Principals that may decide, each with a key that may approve on the route; a subset of the route's. Empty or left out: the route's.",
      }),
    ),
    background: Type.Optional(Type.Boolean({ description: 'Return at once with status `pending`. Left out: false.' })),
  },
  { ...open, $id: 'CreateRun', description: 'A governed run to make. Unknown fields are ignored.' },
);

export const CreatedRun = Type.Object(
  {
    run_id: runId,
    status,
    response: answerText,
    principal_id: asker,
    events,
  },
  { $id: 'CreatedRun', description: 'A run that was just made.' },
);

export const Run = Type.Object(
  {
    run_id: runId,
    route: routeName,
    principal_id: asker,
    status,
    approvers: Type.Array(Type.String(), { description: 'Who may decide; empty: anyone with a key.' }),
    events,
    config_digest: text('`sha256:` and hex of the configuration file when the run was made.'),
  },
  { $id: 'Run', description: 'A run and its history.' },
);

export const StoredRun = Type.Object(
  { ...Run.properties, created_at: Type.String({ format: 'date-time', description: 'When the run was made.' }) },
  { $id: 'StoredRun', description: 'A run as the audit lists it.' },
);

export const Decide = Type.Object(
  {
    decision: Type.Enum(['approved', 'denied'], { description: 'What you decide.' }),
    digest: Type.Optional(
      Type.String({
        description: 'From the pending run: refuses the decision (409) if what it is about has changed since it was read.',
      }),
    ),
  },
  { ...open, $id: 'Decide', description: 'A decision on a paused run. Unknown fields are ignored.' },
);

export const DecidedRun = Type.Object(
  { run_id: runId, status, response: answerText, events },
  { $id: 'DecidedRun', description: 'A run after a decision.' },
);

export const PendingRun = Type.Object(
  {
    run_id: runId,
    route: routeName,
    principal_id: asker,
    stage: text('`ingress`: the request waits; `egress`: the answer does.'),
    node: Type.String({ description: 'The guard that paused it.' }),
    code: Type.String({ description: 'Why, as the guard or its rule is called.' }),
    messages: Type.Array(ref(ChatMessage), { description: 'As edited by the guards so far.' }),
    parameters: Type.Record(Type.String(), Type.Unknown(), {
      description: 'What else the request asks for: tools, response_format and so on.',
    }),
    answer: nullable(ref(ChatCompletion), 'The held answer, where egress paused.'),
    digest: Type.String({ description: 'What a decision is bound to.' }),
    since: Type.String({ format: 'date-time', description: 'When it was paused.' }),
  },
  { $id: 'PendingRun', description: 'What an approver decides on. `answer` is the held answer where egress paused.' },
);

export const RunResponse = Type.Object(
  {
    run_id: runId,
    status,
    response: answerText,
    completion: nullable(ref(ChatCompletion), 'The whole answer; null where the run ended without one.'),
  },
  { $id: 'RunResponse', description: 'The answer of an ended run, while it is kept.' },
);

export const SentRequest = Type.Object(
  {
    run_id: runId,
    status,
    messages: nullable(
      Type.Array(ref(ChatMessage)),
      'As the guards left them; null where the model was not asked, or this was not kept.',
    ),
    parameters: Type.Record(Type.String(), Type.Unknown(), { description: "The request's other fields." }),
  },
  { $id: 'SentRequest', description: 'What the model of an ended run was sent, while it is kept.' },
);

export const ErasedRun = Type.Object(
  {
    run_id: runId,
    status,
    reaches_copies: Type.Boolean({
      description:
        'Whether copies of the store from before are unreadable for it, too. False: they are once store.content_key was exchanged.',
    }),
  },
  { $id: 'ErasedRun', description: 'A run without content.' },
);
