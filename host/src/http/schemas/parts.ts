import { RUN_STATUSES, RunEvent } from '@svc/contracts';
import { type Static, type TSchema, Type } from 'typebox';

/** A `$ref` to a named schema, typed as that schema. */
export function ref<S extends TSchema>(schema: S & { $id?: string }) {
  return Type.Unsafe<Static<S>>(Type.Ref(String(schema.$id)));
}

export const open = { additionalProperties: true } as const;

export const runId = Type.String({ format: 'uuid', description: 'Identifier of the run.' });

export const status = Type.Enum([...RUN_STATUSES], { description: 'Where the run stands.' });

export const events = Type.Array(ref(RunEvent), { description: 'History of the run, in order.' });

export const nullable = <S extends TSchema>(schema: S, description: string) => Type.Union([schema, Type.Null()], { description });

export const text = (description: string) => Type.String({ description });

export const created = Type.Integer({ description: 'Seconds since the Unix epoch.' });

export const routeName = text("The route's name.");

export const asker = text('Who asked.');

export const answerText = text('Text of the first answer, else empty.');

export const configDigest = text('`sha256:` and hex of the configuration file.');

export const retryAt = Type.String({
  format: 'date-time',
  description: 'Before then the same request meets the same answer; where a guard said so.',
});

export const model = text('Upstream name of the model.');

export const leftOut = Type.Array(Type.String(), {
  description:
    "Fields of the model's answer that were left out because no guard can look at them, such as `choices.logprobs`, by their place in a whole answer; `other` stands for any name that is not OpenAI's.",
});
