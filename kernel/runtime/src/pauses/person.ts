import type { OnBehalfOf } from '@svc/contracts';

/** Somebody who decides. `issuer` and `subject`: as an issuer verified the person; absent for a key. */
export interface Person {
  readonly principal_id: string;
  readonly issuer?: string;
  readonly subject?: string;
}

/** Two keys of a principal are one person, and so are two principals that an issuer verified as the same subject. */
export function isSamePerson(a: Person, b: Person): boolean {
  const isSameSubject = a.subject !== undefined && a.subject === b.subject && a.issuer === b.issuer;
  return a.principal_id === b.principal_id || isSameSubject;
}

/** The people in a decision: who decided, and on whose behalf. */
interface People extends Person {
  readonly on_behalf_of?: OnBehalfOf | undefined;
}

export function peopleIn(decision: People): readonly Person[] {
  const { on_behalf_of } = decision;
  return (on_behalf_of === undefined ? [decision] : [decision, on_behalf_of]).map(({ principal_id, issuer, subject }) => ({
    ...(issuer === undefined ? {} : { issuer }),
    principal_id,
    ...(subject === undefined ? {} : { subject }),
  }));
}

/** Whether two decisions have a person in common, so that only one of them counts. */
export function sharePerson(a: People, b: People): boolean {
  return peopleIn(a).some((one) => peopleIn(b).some((other) => isSamePerson(one, other)));
}
