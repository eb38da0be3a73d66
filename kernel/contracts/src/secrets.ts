/** A backend of `secret://<backend>/<path>#<key>` references. `env` and `file` are built in; others are plugins. */
export interface SecretsBackend {
  /**
   * The secret's value. Called at start only, once per reference. Throw if the path or the key is unknown, with a message that contains no part of a
   * value. Authors must not log values, and must not cache them beyond the call.
   */
  resolve(path: string, key: string): Promise<string>;
  close?(): Promise<void>;
}
