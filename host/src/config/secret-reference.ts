/** A parsed `secret://<backend>/<path>#<key>`. */
export interface SecretReference {
  readonly backend: string;
  readonly path: string;
  readonly key: string;
}

/** Whether a text contains a reference, valid or not. */
export function isSecretText(text: string): boolean {
  return text.includes('secret://');
}

/** Null if the text is not exactly one reference. */
export function parseSecretReference(text: string): SecretReference | null {
  const [, backend, path, key] = /^secret:\/\/([a-z0-9][a-z0-9-]*)\/([^#]+)#([^#]+)$/.exec(text) ?? [];
  return backend === undefined || path === undefined || key === undefined ? null : { backend, path, key };
}
