export class MalformedNote extends Error {
  override readonly name = 'MalformedNote';
}
