/** Names that may stand in a finding. */
const NAME = /^[A-Za-z0-9_-]{1,48}$/;
const MOST = 64;

/**
 * A place in the schema (`#/properties/age/type`) as a finding can name it: `properties.age.type`. What is no plain name, or is a pattern,
 * becomes `_`; of a long one the end stays. It is the operator's schema that it names, never the answer.
 */
export function placeOf(schemaPath: string): string {
  const parts = schemaPath
    .replace(/^[^#]*#\/?/, '')
    .split('/')
    .filter((part) => part !== '');
  const names = parts.map((part, index) => (NAME.test(part) && parts[index - 1] !== 'patternProperties' ? part : '_'));
  while (names.length > 1 && names.join('.').length > MOST) names.shift();
  return names.join('.') || 'schema';
}
