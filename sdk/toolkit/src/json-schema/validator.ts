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
  const Draft = draftOf(schema.$schema);
  const own = commented(schema) as Record<string, unknown>;
  metaOf(Draft).validateSchema(own, true);
  const validate = engine(Draft, { $comment: counter.step, validateSchema: false }).compile(own);
  return (value) => {
    counter.begin();
    if (validate(value)) return null;
    const [error]: (ErrorObject | undefined)[] = validate.errors ?? [];
    return placeOf(error?.schemaPath ?? '');
  };
}

type Draft = new (options: AjvOptions) => AjvClass;

function engine(Draft: Draft, options: AjvOptions = {}): AjvClass {
  const ajv = new Draft({ ...AJV, ...options });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (wanted: boolean, members: unknown[]) => !wanted || areUnique(members),
  });
  formats.default(ajv, FORMATS);
  return ajv;
}

const metas = new Map<Draft, AjvClass>();

/** The engine that checks schemas of a draft. Compiling a draft's own schema takes ten times as long as compiling one of a few fields. */
function metaOf(Draft: Draft): AjvClass {
  const meta = metas.get(Draft) ?? engine(Draft);
  metas.set(Draft, meta);
  return meta;
}

function draftOf(dialect: unknown): Draft {
  const name = typeof dialect === 'string' ? dialect.replace(/^https?:\/\/json-schema\.org\//, '').replace(/#$/, '') : dialect;
  switch (name) {
    case undefined:
    case 'draft/2020-12/schema':
      return Ajv2020;
    case 'draft/2019-09/schema':
      return Ajv2019;
    case 'draft-07/schema':
      return Ajv;
    default:
      throw new Error('$schema: must be draft-07, 2019-09 or 2020-12');
  }
}
