import { createHmac, randomBytes } from 'node:crypto';
import { type Clock, type DecisionStatement, type Logger, type NewOperation, SvcError } from '@svc/contracts';
import { canonicalJson, challengeOf, coseKey, STATEMENT_MS, sha256 } from '@svc/ledger';
import type { DecisionSalts, MadeStatement } from '@svc/runtime';
import type { ContentKeys } from '@svc/runtime/content';
import type { OperationsLog } from '@svc/runtime/records';
import type { PasskeySettings } from '../config/index.ts';
import { actorOf } from '../http/actor.ts';
import type { AssertStill } from '../http/assert-still.ts';
import { hasRole, isLimited, type Principal } from '../http/key-ring.ts';
import type { Ceremony, Credential, Passkey, Passkeys, VerifiedSignature } from '../http/passkeys.ts';
import type { Person } from '../http/sign-in.ts';
import { leavesOf } from '../oidc/leaves.ts';
import type { StoredPasskey, StoredPasskeys } from './stored-passkeys.ts';
import type { UseCounters } from './use-counters.ts';

/** Leaves of the content key. */
const REGISTRATIONS = 'passkey registrations';
const DECISIONS = 'passkey decisions';
/** The operations log keeps each one permanently. */
const MAX_OF_PERSON = 20;

type Identity = NonNullable<Principal['identity']>;

interface Registration extends Identity {
  /** Base64url. */
  readonly challenge: string;
}

interface PagePasskeysParts {
  /** Null: none are configured. */
  readonly settings: () => PasskeySettings | null;
  readonly stored: StoredPasskeys;
  readonly counters: UseCounters;
  readonly log: Pick<OperationsLog, 'append' | 'catchUp'>;
  readonly keys: ContentKeys;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly assertStill: AssertStill;
}

/** Registers passkeys, and verifies what they sign. Challenges are sealed, so that any process can check them. */
export class PagePasskeys implements Passkeys {
  readonly #parts: PagePasskeysParts;

  constructor(parts: PagePasskeysParts) {
    this.#parts = parts;
  }

  get origin(): string | null {
    return this.#parts.settings()?.origin ?? null;
  }

  async list(of: Identity | null): Promise<readonly Passkey[]> {
    if (this.origin === null) return [];
    const all = await this.#valid();
    return all.filter((one) => of === null || isOf(one, of)).map(shown);
  }

  async beginRegistration(person: Person): Promise<Ceremony> {
    const { creationOptions } = await import('./web-authn.ts');
    const own = await this.#validOf(person);
    requireRoom(own);
    const challenge = Uint8Array.from(randomBytes(32));
    const { issuer, subject } = person.identity;
    const user = { id: this.#pseudonym(person.identity), name: person.principal_id };
    const registration: Registration = { issuer, subject, challenge: Buffer.from(challenge).toString('base64url') };
    return {
      options: await creationOptions(this.#settings, user, challenge, own),
      ticket: await this.#seal(REGISTRATIONS, { ...registration }),
    };
  }

  async register(person: Person, ticket: string, credential: Credential): Promise<Passkey> {
    const { assertOrigin, registeredBy } = await import('./web-authn.ts');
    const settings = this.#settings;
    const begun = await this.#unseal<Registration>(REGISTRATIONS, ticket);
    if (begun === null || !isOf(begun, person.identity))
      throw new SvcError('SVC-REQ-001', 'body/ticket has expired or belongs to another person; register again');
    assertOrigin(credential, settings, 'SVC-REQ-001');
    const made = await registeredBy(credential, Buffer.from(begun.challenge, 'base64url'), settings, this.#parts.logger);
    const key = made && coseKey(made.public_key);
    if (made === null || key === null)
      throw new SvcError('SVC-REQ-001', 'body/credential is not a valid response to the challenge, with user verification');
    const { id } = made;
    const public_key = Buffer.from(made.public_key).toString('base64url');
    const change = { algorithm: key.algorithm, public_key, rp_id: settings.rp_id };
    await this.#append(person, async () => {
      if (this.#parts.stored.get(id) !== undefined)
        throw new SvcError('SVC-REQ-001', 'body/credential is already registered, or was removed; register another passkey');
      requireRoom(this.#parts.stored.valid(settings.rp_id).filter((one) => isOf(one, person.identity)));
      const target = { kind: 'passkey', name: id };
      return { action: 'passkey.registered', target, before: null, after: digestOf(change), reason: null, change };
    });
    await this.#parts.counters.advance(id, made.counter);
    return shown(this.#known(id));
  }

  async remove(caller: Principal, id: string, reason: string | null): Promise<Passkey> {
    await this.#append(caller, async () => {
      const passkey = this.#known(id);
      const isOwn = caller.identity !== null && isOf(passkey, caller.identity);
      const isAdmin = hasRole(caller, 'admin') && !isLimited(caller);
      if (passkey.removed_at !== null || !(isOwn || isAdmin)) throw unknown();
      const { algorithm, public_key, rp_id } = passkey;
      const target = { kind: 'passkey', name: id };
      const before = digestOf({ algorithm, public_key, rp_id });
      return { action: 'passkey.removed', target, before, after: null, reason, change: {} };
    });
    return shown(this.#known(id));
  }

  async beginSigning(caller: Principal, { statement, salts }: MadeStatement): Promise<Ceremony> {
    const { requestOptions } = await import('./web-authn.ts');
    const own = await this.#validOf(caller);
    if (own.length === 0) {
      const remedy =
        caller.identity === null
          ? 'a key cannot sign: sign in with your account on the page /approvals, and decide there'
          : 'you have no passkey: register one on the page /approvals, under "Your passkeys"';
      throw new SvcError('SVC-AUTH-005', remedy, { run_id: statement.run_id });
    }
    return {
      options: await requestOptions(this.#settings, Uint8Array.from(challengeOf(statement)), own),
      ticket: await this.#seal(DECISIONS, { statement, salts }),
    };
  }

  async verify(caller: Principal, ticket: string, credential: Credential): Promise<VerifiedSignature> {
    const { assertOrigin, signedBy } = await import('./web-authn.ts');
    const settings = this.#settings;
    const asked = await this.#unseal<{ statement: DecisionStatement; salts: DecisionSalts }>(DECISIONS, ticket);
    if (asked === null) throw invalid('body/passkey/ticket has expired or is invalid; sign again');
    const passkey = (await this.#validOf(caller)).find(({ id }) => id === credential.id);
    if (passkey === undefined) throw invalid('body/passkey/credential is not a passkey that you have registered here');
    assertOrigin(credential, settings, 'SVC-AUTH-005');
    const { statement, salts } = asked;
    const counter = await signedBy(credential, challengeOf(statement), passkey, settings, this.#parts.logger);
    if (counter === null)
      throw invalid('body/passkey/credential is not a valid signature of the statement, with user verification');
    if (!(await this.#parts.counters.advance(passkey.id, counter)))
      throw invalid('the counter of the passkey did not grow: the passkey may have been copied. Remove it, and register another');
    const { authenticatorData, clientDataJSON, signature } = credential.response;
    return {
      statement,
      salts,
      signed: {
        authenticator_data: plain(authenticatorData),
        client_data: plain(clientDataJSON),
        public_key: passkey.public_key,
        rp_id: passkey.rp_id,
        signature: plain(signature),
        statement,
      },
    };
  }

  get #settings(): PasskeySettings {
    const settings = this.#parts.settings();
    if (settings !== null) return settings;
    throw new SvcError('SVC-REQ-003', 'no such path: passkeys need auth.passkeys in the configuration');
  }

  /** Includes the passkeys that other processes have registered or removed. */
  async #valid(): Promise<StoredPasskey[]> {
    const { rp_id } = this.#settings;
    await this.#parts.log.catchUp();
    return this.#parts.stored.valid(rp_id);
  }

  async #validOf({ identity }: Principal): Promise<StoredPasskey[]> {
    const all = await this.#valid();
    return identity === null ? [] : all.filter((one) => isOf(one, identity));
  }

  #known(id: string): StoredPasskey {
    const passkey = this.#parts.stored.get(id);
    if (passkey === undefined) throw unknown();
    return passkey;
  }

  async #append(caller: Principal, make: () => Promise<Omit<NewOperation, 'actor'>>): Promise<void> {
    const { log, assertStill } = this.#parts;
    await log.append(async () => {
      await assertStill(caller);
      return { ...(await make()), actor: actorOf(caller) };
    });
  }

  async #seal(leaf: string, content: Readonly<Record<string, unknown>>): Promise<string> {
    const { seal } = await import('../oidc/sealed.ts');
    const { keys, clock } = this.#parts;
    return seal(content, leavesOf(leaf, keys).newest, clock.now() + STATEMENT_MS);
  }

  async #unseal<T>(leaf: string, ticket: string): Promise<T | null> {
    const { unseal } = await import('../oidc/sealed.ts');
    for (const key of leavesOf(leaf, this.#parts.keys).all) {
      const opened = await unseal<T>(ticket, key, this.#parts.clock.now());
      if (opened !== null) return opened;
    }
    return null;
  }

  /** The authenticator keeps it. It reveals nothing about the person. */
  #pseudonym({ issuer, subject }: Identity): Uint8Array<ArrayBuffer> {
    const key = leavesOf(REGISTRATIONS, this.#parts.keys).newest;
    return Uint8Array.from(
      createHmac('sha256', key)
        .update(canonicalJson([issuer, subject]))
        .digest(),
    );
  }
}

function isOf({ issuer, subject }: Identity, person: Identity): boolean {
  return issuer === person.issuer && subject === person.subject;
}

function requireRoom(own: readonly unknown[]): void {
  if (own.length >= MAX_OF_PERSON)
    throw new SvcError('SVC-REQ-001', `you have ${own.length} passkeys, which is the maximum: remove one first`);
}

function shown({ public_key: _, ...passkey }: StoredPasskey): Passkey {
  return passkey;
}

function digestOf(change: object): string {
  return sha256(canonicalJson(change));
}

/** Base64url without padding. */
function plain(text: unknown): string {
  return Buffer.from(String(text), 'base64url').toString('base64url');
}

function unknown(): SvcError {
  return new SvcError('SVC-KEY-003', 'there is no such passkey, or it is not yours; GET /v1/passkeys lists yours');
}

function invalid(detail: string): SvcError {
  return new SvcError('SVC-AUTH-005', detail);
}
