/** Names that programs use, and no registry has. */
const KNOWN_AS: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['audio/wave', 'audio/wav'],
  ['audio/x-wav', 'audio/wav'],
]);

/** A media type as vendors know it. */
export function mediaType(type: string): string {
  return KNOWN_AS.get(type.toLowerCase()) ?? type;
}
