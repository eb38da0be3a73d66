import type { SignedDecision } from '@svc/contracts';
import { expect } from 'vitest';
import { Approver } from '../harness/approver.ts';
import { type Algorithm, Authenticator } from '../harness/authenticator.ts';
import { echoConfig, TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';
import { type Event, evidenceOf, ofType, pausedRun } from './pausing-gateway.ts';

export const ORIGIN = 'https://gateway.example.com';
export const unsigned = { status: 403, body: { code: 'SVC-AUTH-005' } };
const route = (more: object) => ({ provider: 'local', model: 'echo-1', pipeline: { ingress: ['policy'], egress: [] }, ...more });

/** A gateway whose routes ask for decisions signed by a passkey, and two people who have one. */
export class SigningScene {
  readonly issuer: IssuerProcess;
  readonly gateway: TestGateway;
  readonly anna: Approver;
  readonly ben: Approver;
  #last = 0;

  private constructor(issuer: IssuerProcess, gateway: TestGateway, anna: Approver, ben: Approver) {
    this.issuer = issuer;
    this.gateway = gateway;
    this.anna = anna;
    this.ben = ben;
  }

  static async start(): Promise<SigningScene> {
    const issuer = await IssuerProcess.start({
      groups: { anna: ['people'], ben: ['people'], mia: ['people'], kim: ['people'], zoe: ['others'] },
    });
    const entry = {
      issuer: issuer.url,
      audience: IssuerProcess.AUDIENCE,
      principal_prefix: 'corp:',
      roles: { claim: 'groups', map: { people: ['approve'], others: ['call'] } },
      client_id: issuer.client.client_id,
      client_secret: 'secret://env/CLIENT_SECRET#value',
    };
    const gateway = await TestGateway.start({
      here: true,
      config: echoConfig({
        approvals: { max_paused_per_principal: 1000 },
        auth: { oidc: [entry], passkeys: { origin: ORIGIN } },
        routes: {
          signed: route({ approval_passkey: 'required' }),
          two: route({ approval_passkey: 'required', approvals: 2 }),
          strict: route({ approval_passkey: 'required', approval_reason: 'required' }),
          named: route({ approval_passkey: 'required', approvers: ['corp:anna', 'corp:kim'] }),
          may: route({ approval_passkey: 'optional' }),
        },
      }),
      principals: [{ principal_id: 'alice' }, { principal_id: 'bob' }, { principal_id: 'root', roles: ['admin', 'audit'] }],
      env: { CLIENT_SECRET: issuer.client.client_secret },
    });
    const anna = await enter(gateway, issuer, 'anna', 'ES256');
    const ben = await enter(gateway, issuer, 'ben', 'EdDSA');
    for (const each of [anna, ben]) expect((await each.register()).status).toBe(201);
    return new SigningScene(issuer, gateway, anna, ben);
  }

  approver(login: string, algorithm: Algorithm = 'ES256'): Promise<Approver> {
    return enter(this.gateway, this.issuer, login, algorithm);
  }

  /** A text that no other request has. */
  newText(): string {
    this.#last += 1;
    return `wire transfer ${this.#last}`;
  }

  paused(name = 'signed'): Promise<string> {
    return pausedRun(this.gateway, this.newText(), { route: name });
  }

  async decisionsOf(run_id: string): Promise<Event[]> {
    const [record] = await evidenceOf(this.gateway, run_id);
    return ofType(record?.events as unknown as Event[], 'decision');
  }

  /** Fails if a request has met an internal error. */
  check(): void {
    expect(this.gateway.output).not.toMatch(/"event":"internal_error"/);
  }

  async dispose(): Promise<void> {
    await this.gateway.dispose();
    await this.issuer.stop();
  }
}

function enter(gateway: TestGateway, issuer: IssuerProcess, login: string, algorithm: Algorithm): Promise<Approver> {
  return Approver.enter(gateway, issuer, login, new Authenticator(ORIGIN, algorithm));
}

export const signedIn = (event: Event | undefined) => event?.data.signed as unknown as SignedDecision;
