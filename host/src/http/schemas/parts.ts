import { RUN_STATUSES, RunEvent } from '@svc/contracts';
import { type Static, type TSchema, Type } from 'typebox';

/** A `$ref` to a named schema, typed as that schema. */
export function ref<S extends TSchema>(schema: S & { $id?: string }) {
  return Type.Unsafe<Static<S>>(Type.Ref(String(schema.$id)));
}

/** Adds an example, because every parameter needs one. */
export function eg<T>(value: T): { examples: T[] } {
  return { examples: [value] };
}

export const open = { additionalProperties: true } as const;
/** For the gateway's own endpoints, where a misspelt field must not be ignored. */
export const closed = { additionalProperties: false } as const;

/**
 * A part of a content list, or an item of an input. It has a name because OpenAPI Generator's Java code does not compile for a text or a list of unnamed
 * objects.
 */
export const ContentPart = Type.Object(
  { type: Type.Optional(Type.Unknown({ description: 'The kind of part or item.' })) },
  { ...open, $id: 'ContentPart', description: 'A content part or an item. Its fields depend on `type`.' },
);

export const runId = Type.String({ format: 'uuid', description: 'Identifier of the run.' });

export const status = Type.Enum([...RUN_STATUSES], { description: 'Status of the run.' });

export const events = Type.Array(ref(RunEvent), { description: 'History of the run, in order.' });

export const nullable = <S extends TSchema>(schema: S, description: string) => Type.Union([schema, Type.Null()], { description });

/** The reason for a change, which is stored in the operations log. */
export const reasonOnRecord = Type.String({ minLength: 1, maxLength: 1000, description: 'Why, for the operations log.' });

/** The reason as a query parameter, for requests without a body. */
export const reasonInQuery = {
  reason: Type.Optional(Type.String({ ...reasonOnRecord, ...eg('the laptop was lost') })),
};

export const text = (description: string) => Type.String({ description });

export const created = Type.Integer({ description: 'Seconds since the Unix epoch.' });

export const routeName = text("The route's name.");

export const asker = text('Principal that created the run.');

export const answerText = text('Text of the first answer, else empty.');

export const configDigest = text('`sha256:` and hex of the configuration file.');

export const retryAt = Type.String({
  format: 'date-time',
  description: 'When a retry may succeed: earlier retries get the same result. Absent if no guard gives a time.',
});

export const model = text('Upstream name of the model.');

export const leftOut = Type.Array(Type.String(), {
  description:
    "Fields removed from the model's answer because no guard can check them, such as `choices.logprobs`, by their path in a complete answer. `other` stands for any field that is not OpenAI's.",
});

export const unsupported = Type.Array(Type.String(), {
  description: 'Parameters, or paths of fields in them, that the provider does not support. They were not sent to the model.',
});

export const stopEvent = Type.Enum(['stream_violation', 'late_violation', 'blocked', 'paused', 'denied'], {
  description:
    'Why the answer ended: a guard cut off the stream (`stream_violation`), a guard found a violation after its last text (`late_violation`), or the run stopped before any text was sent.',
});

/** The header of every request that becomes a run. */
export const sessionHeader = {
  'x-svc-session': Type.Optional(
    Type.String({
      description:
        'Session that the run belongs to: 1 to 128 visible ASCII characters. Default: the session id that some clients send on their own, see docs/access.md. It is recorded unchanged, so it must not identify a person.',
      ...eg('42bb0d3d-ddf6-4ab6-b48f-f507c3099d7f'),
    }),
  ),
};

/** The headers of every request to a model. */
export const runHeaders = Type.Object({
  ...sessionHeader,
  'x-svc-keep': Type.Optional(
    Type.Literal('request', {
      description: 'Stores the request sent to the model, with the edits of the guards, for /v1/runs/{run_id}/request.',
      ...eg('request'),
    }),
  ),
});
