/** A backend of `secret://<backend>/<path>#<key>` references. `env` and `file` are built in; others are plugins. */
export interface SecretsBackend {
  /**
   * Returns the secret's value. Called only at start, once per reference. If the path or the key is unknown, throw an error whose message contains no
   * part of a value. Authors must not log values or keep them after the call.
   */
  resolve(path: string, key: string): Promise<string>;
  close?(): Promise<void>;
}
