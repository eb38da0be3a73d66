import type { Ajv as AjvClass, Options as AjvOptions, ErrorObject } from 'ajv';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats, { type FormatName } from 'ajv-formats';
import { RE2JS } from 're2js';
import { placeOf } from './place.ts';
import { commented, StepCounter } from './step-counter.ts';
import { areUnique } from './unique-items.ts';

/** The place in the schema that a value violates, as the name of a finding. Null if the value is valid. Throws if checking takes too many steps. */
export type Validator = (value: unknown) => string | null;

/** Formats of the standard that can be checked in linear time. Others are rejected as unknown. */
const FORMATS: FormatName[] = [
  'date',
  'time',
  'date-time',
  'duration',
  'uri',
  'uri-reference',
  'uri-template',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uuid',
  'json-pointer',
  'relative-json-pointer',
];

/**
 * Uses RE2 instead of the engine's own regular expressions, which can take exponential time. Patterns have JavaScript's syntax, as far as RE2
 * supports it.
 */
const regExp = Object.assign((pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern)), { code: 'new RegExp' });

const AJV: AjvOptions = { strict: true, allowUnionTypes: true, logger: false, messages: false, code: { regExp } };

/**
 * Compiles a JSON Schema of draft 2020-12, or of the draft that `$schema` names.
 * @throws {Error} with the place where the schema is invalid
 */
export function compileSchema(schema: Record<string, unknown>): Validator {
  if (schema.$async !== undefined) throw new Error('$async: is not supported; remove it');
  const counter = new StepCounter();
  const ajv = engineFor(schema.$schema, { ...AJV, $comment: counter.step });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, members: unknown[]) => !wanted || areUnique(members),
  });
  formats.default(ajv, FORMATS);
  const validate = ajv.compile(commented(schema) as Record<string, unknown>);
  return (value) => {
    counter.begin();
    if (validate(value)) return null;
    const [error]: (ErrorObject | undefined)[] = validate.errors ?? [];
    return placeOf(error?.schemaPath ?? '');
  };
}

function engineFor(dialect: unknown, options: AjvOptions): AjvClass {
  const name = typeof dialect === 'string' ? dialect.replace(/^https?:\/\/json-schema\.org\//, '').replace(/#$/, '') : dialect;
  switch (name) {
    case undefined:
    case 'draft/2020-12/schema':
      return new Ajv2020(options);
    case 'draft/2019-09/schema':
      return new Ajv2019(options);
    case 'draft-07/schema':
      return new Ajv(options);
    default:
      throw new Error('$schema: must be draft-07, 2019-09 or 2020-12');
  }
}
