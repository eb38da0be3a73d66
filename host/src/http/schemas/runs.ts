import { DecisionStatement } from '@svc/contracts';
import { PAUSED_CHANGES } from '@svc/runtime';
import { Type } from 'typebox';
import { MayDecide } from './approvals.ts';
import { ChatMessage } from './chat.ts';
import { answerText, asker, closed, events, nullable, ref, routeName, runId, status, text } from './parts.ts';
import { ceremony, PasskeyResponse } from './passkeys.ts';

const WHO_MAY_DECIDE =
  'Who may decide: the approvers, then those of an escalation, then delegates. Empty: any key with the role approve.';
const mayDecide = Type.Array(ref(MayDecide), { description: WHO_MAY_DECIDE });

// Optional fields declare no `default`, because client generators would then treat them as always present.
export const CreateRun = Type.Object(
  {
    route: Type.Optional(Type.String({ description: 'Name of the route. Default: `default`.' })),
    messages: Type.Array(ref(ChatMessage), { minItems: 1, description: 'The conversation so far.' }),
    approvers: Type.Optional(
      Type.Array(Type.String({ pattern: '^(?:group/)?[A-Za-z0-9._@:+-]{1,128}$' }), {
        maxItems: 64,
        description:
          "Who may decide: principals with a key that has the role approve for the route, and groups as `group/NAME`. A subset of the route's approvers. Default: all of them.",
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
    may_decide: Type.Optional({ ...mayDecide, description: `Only for paused runs. ${WHO_MAY_DECIDE}` }),
    events,
    config_digest: text('SHA-256 of the configuration file when the run was created, as `sha256:` and hex.'),
    session: Type.Optional(text('The session, as the client named it.')),
    client: Type.Optional(text('Name of the client program, from its User-Agent. Only with a session or a user.')),
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
          'Only for paused runs. Identifies the group: all paused runs of the same request have the same value, and one decision applies to all of them. No text can be derived from it.',
      }),
    ),
    cannot_approve: Type.Optional(
      Type.Enum(['role', 'approvers', 'own_request', 'passkey', 'approved'], {
        description:
          'Only for paused runs that you cannot approve, the reason. `role`: you lack the role approve. `approvers`: others are its approvers. `own_request`: you made the request, and its route does not allow self-approval. `passkey`: its route requires a decision signed by a passkey, and your key cannot sign. `approved`: you, or the person you decide for, already approved it. You can only deny it.',
      }),
    ),
  },
  { $id: 'StoredRun', description: 'A run in the audit list.' },
);

export const RunChange = Type.Object(
  {
    change: Type.Enum([...PAUSED_CHANGES], {
      description:
        '`waiting`: the run paused. `approved`: someone approved it, and it needs more approvals. `edited`: an approver edited it, and others must approve the edit. `decided`: an approver decided. `expired`: the approval timed out. `ended`: it is no longer paused, for another reason. `changed`: anything else.',
    }),
    run: ref(StoredRun),
  },
  { $id: 'RunChange', description: 'A change of a paused run. It contains none of its content.' },
);

const decided = {
  decision: Type.Enum(['approved', 'denied'], { description: 'The decision.' }),
  digest: Type.Optional(
    Type.String({
      description:
        '`digest` of the pending run: the decision is rejected (409) if the pending content has changed since it was read.',
    }),
  ),
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'The reason, in one line. The caller sees the reason for a denial. It is stored as content of the run.',
    }),
  ),
  edits: Type.Optional(
    Type.Array(
      Type.Object(
        {
          index: Type.Integer({ minimum: 0, description: '`index` in `texts` of the pending run.' }),
          text: Type.String({ description: 'The new text.' }),
        },
        closed,
      ),
      {
        minItems: 1,
        maxItems: 1000,
        description:
          'Texts to change. The approval applies to the changed content. Requires `digest`. Guards check the changed content again.',
      },
    ),
  ),
};

export const Decide = Type.Object(
  { ...decided, passkey: Type.Optional(ref(PasskeyResponse)) },
  { ...closed, $id: 'Decide', description: 'A decision on a paused run.' },
);

export const IntendedDecision = Type.Object(decided, {
  ...closed,
  $id: 'IntendedDecision',
  description: 'A decision to sign with a passkey.',
});

export const Statement = Type.Object(
  { statement: DecisionStatement, ...ceremony },
  { $id: 'Statement', description: 'What to sign with a passkey.' },
);

export const RunDecision = Type.Object(
  {
    decision: Type.Enum(['approved', 'denied'], { description: 'What was decided.' }),
    principal_id: text('Principal that decided.'),
    on_behalf_of: nullable(Type.String(), 'Principal on whose behalf this person decided. Null: on their own behalf.'),
    at: Type.String({ format: 'date-time', description: 'When the decision was made.' }),
    digest: text('Digest of the content that was decided on.'),
    edited: nullable(
      Type.String(),
      'Digest of the content after the changes of this person; the approval applies to that content. Null: unchanged.',
    ),
    reason: nullable(Type.String(), 'Why. Null: no reason was given, or it is no longer stored.'),
  },
  { $id: 'RunDecision', description: 'A decision on a run.' },
);

export const RunDecisions = Type.Object(
  {
    run_id: runId,
    status,
    decisions: Type.Array(ref(RunDecision), { description: 'The decisions, oldest first.' }),
  },
  { $id: 'RunDecisions', description: 'The decisions on a run, with their reasons.' },
);

export const DecidedRun = Type.Object(
  { run_id: runId, status, response: answerText, events },
  { $id: 'DecidedRun', description: 'A run after a decision.' },
);

const protocol = Type.String({
  examples: ['openai.chat', 'openai.responses', 'anthropic.messages'],
  description: 'Protocol of the request. Messages and answer are in its format.',
});
const texts = Type.Array(
  Type.Object({
    index: Type.Integer({ minimum: 0, description: 'Identifies the text in `edits` of a decision.' }),
    path: text('Path of the text, such as `messages.0.content`.'),
    role: nullable(Type.String(), 'Role of its message. Null: the text is outside the messages.'),
    text: text('The current text.'),
  }),
);
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
    texts: {
      ...texts,
      description: 'The texts that a decision may change: texts of the answer if it awaits approval, otherwise of the request.',
    },
    original_texts: nullable(texts, 'The same texts before approvers changed them. Null: unchanged.'),
    digest: Type.String({ description: 'Digest of the content to decide on. Send it with the decision.' }),
    reason: Type.Enum(['optional', 'required'], { description: 'Whether a decision needs a reason.' }),
    passkey: Type.Enum(['none', 'optional', 'required'], {
      description: 'Whether to sign the decision with a passkey. `optional`: the route asks for it, and the caller has one.',
    }),
    approvals: Type.Object(
      {
        given: Type.Integer({ minimum: 0, description: 'Approvals that count for this content.' }),
        needed: Type.Integer({ minimum: 1, description: 'Different people who must approve.' }),
      },
      { description: 'How many people have approved, and how many must approve.' },
    ),
    may_decide: mayDecide,
    on_behalf_of: nullable(Type.String(), 'Principal on whose behalf you would decide. Null: on your own behalf.'),
    decisions: Type.Array(ref(RunDecision), { description: 'Decisions since the run was paused, in order.' }),
    since: Type.String({ format: 'date-time', description: 'When it was paused.' }),
    expires_at: Type.String({ format: 'date-time', description: 'When the run is denied unless it is decided before.' }),
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
    reason: nullable(Type.String(), 'Why an approver denied the run. Null: it was not denied, or no reason is stored.'),
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
  {
    $id: 'SentRequest',
    description: 'The request that a run sent to the model. Available after the run has ended, for as long as it is stored.',
  },
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
