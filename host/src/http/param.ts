/** A path in a request as OpenAI's errors have it: `messages[0].content`. */
export function paramOf(names: readonly string[]): string {
  return names.reduce((path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`), '');
}
