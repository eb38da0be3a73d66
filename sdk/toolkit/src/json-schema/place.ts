/** Names that may occur in a finding. */
const NAME = /^[A-Za-z0-9_-]{1,48}$/;
const MAX_LENGTH = 64;

/**
 * A place in the schema (`#/properties/age/type`) as the name of a finding: `properties.age.type`. Other names and patterns become `_`. A long name
 * keeps only its end. The name refers to the operator's schema, and never contains part of the answer.
 */
export function placeOf(schemaPath: string): string {
  const parts = schemaPath
    .replace(/^[^#]*#\/?/, '')
    .split('/')
    .filter((part) => part !== '');
  const names = parts.map((part, index) => (NAME.test(part) && parts[index - 1] !== 'patternProperties' ? part : '_'));
  while (names.length > 1 && names.join('.').length > MAX_LENGTH) names.shift();
  return names.join('.') || 'schema';
}
