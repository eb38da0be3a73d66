/** Thrown for a malformed note or key. */
export class MalformedNote extends Error {
  override readonly name = 'MalformedNote';
}
