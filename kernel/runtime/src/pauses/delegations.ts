import { type Clock, type Operation, SvcError } from '@svc/contracts';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import type { ApplyOperation } from '../records/operations-log/operations-log.ts';
import type { Person } from './person.ts';

/** An approver lets another person decide in their place for a limited time. Times are ISO 8601 in UTC. */
export interface Delegation {
  readonly id: string;
  readonly from: Person;
  /** Principal of the delegate. */
  readonly to: string;
  /** Routes that it is limited to; null: all on which `from` may decide. */
  readonly routes: readonly string[] | null;
  readonly since: string;
  readonly until: string;
  readonly reason: string | null;
}

/** `change` of a `delegation.created`, whose actor is the approver and whose target is the id. */
const Created = Type.Object({
  to: Type.String(),
  routes: Type.Union([Type.Array(Type.String()), Type.Null()]),
  until: Type.String(),
});

/**
 * The active delegations. Computed from the operations log, so they are the same in every process. If a record has an unknown form, a creation
 * delegates nothing, and an end still ends its delegation.
 */
export class Delegations {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #given = new Map<string, Delegation>();
  /** Expired delegations. They stay expired even if the clock steps back. */
  readonly #over = new Set<string>();

  constructor(clock: Pick<Clock, 'now'> = Date) {
    this.#clock = clock;
  }

  /** Applies a record of the operations log. Ignores records of other kinds. */
  readonly apply: ApplyOperation = ({ action, target: { name: id }, change, actor, at, reason }) => {
    if (action === 'delegation.ended') {
      this.#over.delete(id);
      return this.#given.delete(id);
    }
    if (action !== 'delegation.created') return true;
    const from = personOf(actor);
    if (from === null || !Value.Check(Created, change)) return false;
    const { to, routes, until } = change;
    this.#given.set(id, { id, from, to, routes, since: at, until, reason });
    return true;
  };

  /** In order of creation. */
  get inForce(): Delegation[] {
    return [...this.#given.values()].filter((delegation) => !this.#isOver(delegation));
  }

  /** Delegations that have ended by the clock, but not yet by a record. */
  get ended(): Delegation[] {
    return [...this.#given.values()].filter((delegation) => this.#isOver(delegation));
  }

  /** The active delegation with this id, if it fits. @throws {SvcError} SVC-APPR-001 */
  known(id: string, fits: (delegation: Delegation) => boolean = () => true): Delegation {
    const found = this.inForce.find((delegation) => delegation.id === id && fits(delegation));
    if (found === undefined)
      throw new SvcError('SVC-APPR-001', 'no active delegation has this id; GET /v1/approvals/delegations lists yours');
    return found;
  }

  #isOver({ id, until }: Delegation): boolean {
    if (!(this.#clock.now() < Date.parse(until))) this.#over.add(id);
    return this.#over.has(id);
  }
}

function personOf({ principal_id, issuer, subject }: Operation['actor']): Person | null {
  if (principal_id === null) return null;
  return { ...(issuer === null ? {} : { issuer }), principal_id, ...(subject === null ? {} : { subject }) };
}
