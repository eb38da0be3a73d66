import type { Authenticator, Faults } from './authenticator.ts';
import type { Answer, TestGateway } from './gateway.ts';
import type { IssuerProcess } from './issuer-process.ts';
import { Person } from './person.ts';

/** The body of a decision for `/v1/runs/{run_id}/resume`. */
interface Verdict {
  readonly decision: 'approved' | 'denied';
  readonly digest?: string;
  readonly reason?: string;
  readonly edits?: readonly { readonly index: number; readonly text: string }[];
}

export const APPROVED: Verdict = { decision: 'approved' };
export const DENIED: Verdict = { decision: 'denied' };

/** A person who has signed in on the pages, and their authenticator. */
export class Approver {
  readonly person: Person;
  readonly passkey: Authenticator;

  private constructor(person: Person, passkey: Authenticator) {
    this.person = person;
    this.passkey = passkey;
  }

  /** Signs in. */
  static async enter(gateway: TestGateway, issuer: IssuerProcess, login: string, passkey: Authenticator): Promise<Approver> {
    const person = new Person(gateway, login);
    await person.signIn(issuer.url);
    return new Approver(person, passkey);
  }

  async register(faults: Faults = {}): Promise<Answer> {
    const { options, ticket } = (await this.post('/v1/passkeys/options')).body;
    return this.post('/v1/passkeys', { ticket, credential: this.passkey.create(options, faults) });
  }

  statement(run_id: string, verdict: Verdict): Promise<Answer> {
    return this.post(`/v1/runs/${run_id}/statement`, verdict);
  }

  /** The body of a signed decision. */
  async signed(run_id: string, verdict: Verdict, faults: Faults = {}, passkey = this.passkey) {
    const { options, ticket } = (await this.statement(run_id, verdict)).body;
    return { ...verdict, passkey: { ticket, credential: passkey.get(options, faults) } };
  }

  /** Signs a decision and sends it. */
  async decide(run_id: string, verdict: Verdict = APPROVED, faults: Faults = {}): Promise<Answer> {
    return this.post(`/v1/runs/${run_id}/resume`, await this.signed(run_id, verdict, faults));
  }

  post(path: string, body: unknown = {}): Promise<Answer> {
    return this.person.act(path, { method: 'POST', body });
  }
}
