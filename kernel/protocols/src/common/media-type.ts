/** Unregistered names that programs use, with the registered names. */
const KNOWN_AS: ReadonlyMap<string, string> = new Map([
  ['image/jpg', 'image/jpeg'],
  ['image/pjpeg', 'image/jpeg'],
  ['image/x-png', 'image/png'],
  ['audio/wave', 'audio/wav'],
  ['audio/x-wav', 'audio/wav'],
]);

/** The media type under the name that vendors accept. */
export function mediaType(type: string): string {
  return KNOWN_AS.get(type.toLowerCase()) ?? type;
}
