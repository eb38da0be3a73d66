/** A text `secret://<backend>/<path>#<key>`, taken apart. */
export interface SecretReference {
  readonly backend: string;
  readonly path: string;
  readonly key: string;
}

/** Whether a text holds a reference, well written or not. */
export function isSecretText(text: string): boolean {
  return text.includes('secret://');
}

/** Null where the text is not one whole reference. */
export function parseSecretReference(text: string): SecretReference | null {
  const [, backend, path, key] = /^secret:\/\/([a-z0-9][a-z0-9-]*)\/([^#]+)#([^#]+)$/.exec(text) ?? [];
  return backend === undefined || path === undefined || key === undefined ? null : { backend, path, key };
}
