import type { Delegate, Delegation, DelegationList } from './openapi.ts';
import type { CallOptions, Transport } from './transport.ts';

const PATH = '/v1/approvals/delegations';

/** Delegations: an approver lets another person decide in their place. Every method rejects with an `HttpStatusError` if the gateway returns an error. */
export class Approvals {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Lets another person decide in your place for a limited time. Not retried after a broken connection. */
  delegate(delegation: Delegate, options: CallOptions = {}): Promise<Delegation> {
    return this.#transport.json({ method: 'POST', path: PATH, body: delegation, idempotent: false }, options);
  }

  /** The active delegations that you may see. */
  delegations(options: CallOptions = {}): Promise<DelegationList> {
    return this.#transport.json({ method: 'GET', path: PATH }, options);
  }

  /** Ends a delegation early. The reason is recorded. */
  endDelegation(id: string, options: CallOptions & { readonly reason?: string } = {}): Promise<Delegation> {
    const call = { method: 'DELETE', path: `${PATH}/${encodeURIComponent(id)}`, query: { reason: options.reason } } as const;
    return this.#transport.json(call, options);
  }
}
