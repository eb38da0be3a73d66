import { isObject, type JsonObject } from '@svc/contracts';
import { describeSchema } from './describe-schema.ts';

/** Where a schema refers to for a text that is replaced with a secret. */
export const SECRET_DEFINITION = 'secret';

const ANNOTATIONS = ['title', 'description', 'default', 'writeOnly'];
/** Keywords that mean the same for every checker, and for a value before and after defaults are filled in. TypeBox counts `maxLength` in graphemes, others in code points. */
const ASSERTIONS = [
  'type',
  'const',
  'enum',
  'pattern',
  'minLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'uniqueItems',
];
const ON_TEXT = ['const', 'enum', 'pattern', 'minLength', 'format'];

interface Writing {
  /** Whether a `secret://` reference may replace any text, as in the options of plugins. */
  readonly secrets: boolean;
}

/**
 * The schema of a value as it is written in a file, before {@link withDefaults} fills it in: a key with a default may be missing. It accepts every value
 * that the given schema accepts after that. It is looser where JSON Schema cannot be as strict: keywords that are not listed here are left out.
 */
export function asWritten(schema: unknown, writing: Writing): JsonObject {
  if (!isObject(schema)) return {};
  const annotations = pick(schema, ANNOTATIONS);
  const assertions = { ...pick(schema, ASSERTIONS), ...(schema.format === 'date' && { format: 'date' }) };
  const title = schema.title ?? titleOf(schema);
  const described = { ...(title !== undefined && { title }), ...annotations };
  const parts = partsOf(schema, writing);
  if (!writing.secrets || !restrictsText(assertions)) return { ...described, ...assertions, ...parts };
  return { ...described, anyOf: [{ ...assertions, ...parts }, { $ref: `#/$defs/${SECRET_DEFINITION}` }] };
}

function partsOf(schema: JsonObject, writing: Writing): JsonObject {
  const { properties, patternProperties, additionalProperties, propertyNames, items, required, minProperties } = schema;
  const filled = isObject(properties) ? Object.keys(properties).filter((key) => hasDefault(properties[key])) : [];
  const variants = [schema.anyOf, schema.oneOf].find(Array.isArray);
  const parts: JsonObject = {};
  if (isObject(properties)) parts.properties = each(properties, writing);
  if (isObject(patternProperties)) parts.patternProperties = each(patternProperties, writing);
  if (additionalProperties !== undefined)
    parts.additionalProperties = isObject(additionalProperties) ? asWritten(additionalProperties, writing) : additionalProperties;
  // References are not replaced in keys.
  if (isObject(propertyNames)) parts.propertyNames = asWritten(propertyNames, { secrets: false });
  if (isObject(items)) parts.items = asWritten(items, writing);
  const missing = Array.isArray(required) ? required.filter((key) => !filled.includes(String(key))) : [];
  if (missing.length > 0) parts.required = missing;
  // A default may be what makes these hold.
  if (filled.length === 0 && minProperties !== undefined) parts.minProperties = minProperties;
  // Two variants of a oneOf may both accept what is written, and only one of them what is filled in.
  if (filled.length === 0 && variants !== undefined) parts.anyOf = variants.map((variant) => asWritten(variant, writing));
  return parts;
}

function each(schemas: JsonObject, writing: Writing): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([key, schema]) => [key, asWritten(schema, writing)]));
}

const hasDefault = (schema: unknown): boolean => isObject(schema) && schema.default !== undefined;

/** What a single value may be, in words. An editor shows it with the description and in messages. */
function titleOf(schema: JsonObject): string | undefined {
  const isSingle =
    ['string', 'integer', 'number', 'boolean'].includes(String(schema.type)) && !('enum' in schema) && !('const' in schema);
  return isSingle ? describeSchema(schema) : undefined;
}

function restrictsText({ type, ...assertions }: JsonObject): boolean {
  if (!ON_TEXT.some((keyword) => keyword in assertions)) return false;
  if ('const' in assertions) return typeof assertions.const === 'string';
  if (Array.isArray(assertions.enum)) return assertions.enum.some((value) => typeof value === 'string');
  return type === undefined || type === 'string' || (Array.isArray(type) && type.includes('string'));
}

function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keys.includes(key)));
}
