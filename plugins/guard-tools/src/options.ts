import { type Static, Type } from 'typebox';

const NAME = '^[A-Za-z0-9._-]{1,64}$';

const globs = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 1_000, description }));

export const RuleOptions = Type.Object(
  {
    name: Type.String({ pattern: NAME, description: 'Unique; shown to callers and recorded.' }),
    tools: globs('Names of functions and custom tools; `*` is any text, `?` one character.'),
    vendor_tools: globs('Types of vendors’ tools without their version, such as `web_search`.'),
    mcp: globs('MCP servers by label, and their tools as `label/tool`.'),
    routes: globs('Routes that the rule applies to. Default: all.'),
    principals: globs('Principals that the rule applies to. Default: all.'),
    arguments: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'A JSON Schema. The rule applies only to calls whose arguments match it.',
      }),
    ),
    action: Type.Enum(['allow', 'deny', 'withhold', 'approve'], {
      description: 'What happens to a tool or a call that the rule matches.',
    }),
  },
  { additionalProperties: false },
);
export type RuleOptions = Static<typeof RuleOptions>;

export const Options = Type.Object(
  {
    rules: Type.Array(RuleOptions, {
      maxItems: 1_000,
      default: [],
      description: 'Rules, in order. The first one that matches applies.',
    }),
    default: Type.Enum(['allow', 'deny'], { default: 'deny', description: 'What happens to a tool that no rule matches.' }),
    offered: Type.Enum(['block', 'withhold'], {
      default: 'block',
      description: 'What happens if a request offers a denied tool: block the run, or remove the definition.',
    }),
    unoffered: Type.Enum(['block', 'allow'], {
      default: 'block',
      description: 'What happens if the model calls a tool that was not offered. `allow`: the rules decide.',
    }),
    pins: Type.Record(Type.String(), Type.Array(Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }), { minItems: 1 }), {
      default: {},
      description: 'Digests that the definition of a tool may have.',
    }),
    changed_pin: Type.Enum(['block', 'require_approval'], {
      default: 'block',
      description: 'What happens if the definition of a pinned tool has another digest.',
    }),
    unpinned: Type.Enum(['allow', 'block'], {
      default: 'allow',
      description: 'What happens if a tool without a pin is offered.',
    }),
    placeholders: Type.Enum(['allow', 'block'], {
      default: 'allow',
      description: 'What happens if arguments contain a placeholder of a masked value, such as `<PERSON_1>`.',
    }),
  },
  { additionalProperties: false },
);
export type Options = Static<typeof Options>;
