import { isObject } from '@svc/contracts';

function range(keywords: Record<string, unknown>): string {
  const { minimum, maximum } = keywords;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of ${minimum} or more`;
  return maximum === undefined ? '' : ` of ${maximum} or less`;
}

/** Describes in a few words what a schema allows. */
export function describeSchema(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  if (typeof schema.title === 'string') return schema.title;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum))
    return `one of ${schema.enum.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ')}`;
  const variants = [schema.anyOf, schema.oneOf].find(Array.isArray);
  if (variants !== undefined) {
    const described = variants.map(describeSchema);
    return described.every((words) => words !== undefined) ? [...new Set(described)].join(' or ') : undefined;
  }
  switch (schema.type) {
    case 'string':
      if (typeof schema.pattern === 'string') return `text that matches ${schema.pattern}`;
      return schema.minLength === 1 ? 'non-empty text' : 'text';
    case 'integer':
      return `a whole number${range(schema)}`;
    case 'number':
      return `a number${range(schema)}`;
    case 'null':
      return 'null';
    case 'boolean':
      return 'true or false';
    case 'array':
      return schema.minItems === 1 ? 'a non-empty list' : 'a list';
    case 'object':
      return schema.minProperties === 1 ? 'a non-empty map of keys and values' : 'a map of keys and values';
    default:
      return undefined;
  }
}
