export class UnknownContentKey extends Error {
  /** Id of the missing content key: 16 hex digits. */
  readonly id: string;

  constructor(id: string, given: string) {
    super(
      `the content of this store is encrypted with the content key ${id}, but the newest configured key is ${given}: configure ${id} too, as the newest or an older key. Gateways that share a store need the same newest key`,
    );
    this.name = 'UnknownContentKey';
    this.id = id;
  }
}
