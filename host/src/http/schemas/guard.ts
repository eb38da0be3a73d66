import { RunEvent, STAGES, TEXT_ORIGINS, VERDICTS } from '@svc/contracts';
import { Type } from 'typebox';
import { closed, nullable, open, ref, routeName, runId, text } from './parts.ts';

const anyObject = Type.Record(Type.String(), Type.Unknown());
const texts = (description: string) => Type.Array(Type.String(), { minItems: 1, maxItems: 10_000, description });

export const GuardCheck = Type.Object(
  {
    route: Type.String({ description: 'Name of the route whose guards check the text.' }),
    stage: Type.Optional(
      Type.Enum([...STAGES], { description: '`ingress` for a request, `egress` for an answer. Default: `ingress`.' }),
    ),
    text: Type.Optional(text('A text by a user or, in `egress`, by a model.')),
    texts: Type.Optional(texts('Several texts: parts of one conversation, or in `egress` alternative answers.')),
    origin: Type.Optional(
      Type.Enum(['user', 'tool', 'retrieved'], {
        description:
          'Only with `text` or `texts` in `ingress`: the origin of the texts. `tool`: results of tools; `retrieved`: documents and other text that was retrieved or supplied. Default: `user`.',
      }),
    ),
    body: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'A whole request of `protocol`, or in `egress` a whole answer.',
      }),
    ),
    protocol: Type.Optional(
      text(
        'Only with `body`: `openai.chat` (default), `openai.responses`, `anthropic.messages`, or the id of a protocol plugin.',
      ),
    ),
    evidence: Type.Optional(Type.Boolean({ description: 'Record the check as a run with evidence. Default: false.' })),
  },
  { ...closed, $id: 'GuardCheck', description: 'Text for guards: exactly one of `text`, `texts` and `body`.' },
);

export const GuardChecked = Type.Object(
  {
    verdict: Type.Enum([...VERDICTS], { description: 'The strictest verdict of the guards that enforce.' }),
    code: nullable(Type.String(), 'Code of that verdict; null for `allow`.'),
    guard: nullable(Type.String(), 'Guard that returned it; null for `allow`.'),
    hint: Type.Optional(text('Message of that guard for the caller.')),
    findings: Type.Array(
      Type.Object({
        entity_type: text('Type of the finding.'),
        count: Type.Integer({ description: 'Number of findings.' }),
        origins: Type.Optional(
          Type.Array(Type.Enum([...TEXT_ORIGINS]), {
            description: 'Origin of the texts with these findings, if the guards report it.',
          }),
        ),
        score_ppm: Type.Optional(
          Type.Integer({ description: 'The highest score of these findings in millionths, if the guards report it.' }),
        ),
      }),
      { description: 'Findings of all guards, including those that only observe; one entry per type.' },
    ),
    guards: Type.Array(ref(RunEvent), {
      description: 'The guards that ran, as events `verdict` and `observed`, and disabled guards as events `skipped`.',
    }),
    not_asked: Type.Array(Type.String(), {
      description:
        'Guards of the stage that were not run because they need a model call: budgets, and guards that retrieve documents.',
    }),
    text: Type.Optional(text('With `allow` and `sanitize`: the text after the edits of the guards.')),
    texts: Type.Optional(Type.Array(Type.String(), { description: 'As `text`, for `texts`.' })),
    body: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: 'As `text`, for `body`.' })),
    left_out: Type.Optional(
      Type.Array(Type.String(), { description: 'Fields removed from the answer in `body`, because no guard can check them.' }),
    ),
    run_id: Type.Optional(runId),
  },
  { $id: 'GuardChecked', description: 'The verdict of guards.' },
);

export const LitellmCheck = Type.Object(
  {
    input_type: Type.Enum(['request', 'response'], {
      description: 'Guards in `ingress` check a request, guards in `egress` an answer.',
    }),
    texts: Type.Optional(nullable(Type.Array(Type.String()), 'Texts of the messages or the answer.')),
    images: Type.Optional(nullable(Type.Array(Type.String()), 'Images, which no guard can read.')),
    tools: Type.Optional(nullable(Type.Array(anyObject), 'For a request: the tool definitions.')),
    tool_calls: Type.Optional(nullable(Type.Array(anyObject), 'Tool calls.')),
    structured_messages: Type.Optional(
      nullable(
        Type.Array(anyObject),
        'For a request: the messages that `texts` come from. Guards check the whole message; LiteLLM applies edits only to its texts.',
      ),
    ),
  },
  { ...open, $id: 'LitellmCheck', description: "LiteLLM's request to a guardrail. Other fields are ignored." },
);

export const LitellmChecked = Type.Object(
  {
    action: Type.Enum(['NONE', 'GUARDRAIL_INTERVENED', 'BLOCKED'], {
      description: '`GUARDRAIL_INTERVENED`: use `texts` and `tools` instead.',
    }),
    blocked_reason: Type.Optional(text('Which guard blocked, and the run.')),
    texts: Type.Optional(Type.Array(Type.String(), { description: 'The texts after the edits of the guards.' })),
    tools: Type.Optional(Type.Array(anyObject, { description: 'The tools after the edits of the guards.' })),
  },
  { $id: 'LitellmChecked', description: "The verdict of guards in LiteLLM's form." },
);

export const guardRoute = Type.Object({ route: Type.String({ ...routeName, examples: ['default'] }) });
