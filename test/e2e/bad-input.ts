import type { JsonObject } from '@svc/contracts';
import { canonicalJson, verifyLedger } from '@svc/ledger';
import { describe, expect, it } from 'vitest';
import { type Answer, echoConfig, TestGateway } from '../harness/gateway.ts';

/** Included in everything sent. It must not appear in any error or log line. */
export const CALLER = 'CALLER-TEXT-MARKER';
export const BODY_LIMIT = 1_048_576;
export const MESSAGES = [{ role: 'user', content: 'hello' }];
export const CHAT = '/v1/chat/completions';

/** Status and code of an error answer. */
export type Expected = readonly [status: number, code: string];
export const MALFORMED: Expected = [400, 'SVC-REQ-001'];
export const UNAUTHENTICATED: Expected = [401, 'SVC-AUTH-001'];
export const NO_RUN: Expected = [404, 'SVC-RUN-001'];
export const NO_PATH: Expected = [404, 'SVC-REQ-003'];
export const NO_ROUTE: Expected = [404, 'SVC-ROUTE-001'];
export const TOO_LARGE: Expected = [413, 'SVC-REQ-002'];
export const NOT_JSON: Expected = [415, 'SVC-REQ-004'];
export const UNKNOWN_CODING: Expected = [501, 'SVC-REQ-005'];

/** Table rows for test cases, each with a name short enough to print. */
export function named(cases: readonly string[]): [name: string, text: string][] {
  return cases.map((text) => [text.length > 60 ? `${text.slice(0, 40)}… (${text.length} characters)` : text, text]);
}

/** A gateway that gets bad input, and what it must still know at the end. */
export class IllTreated {
  readonly gateway: TestGateway;
  readonly #pid: number;
  /** Ids of runs that were answered with 200. */
  readonly #answered: string[] = [];

  private constructor(gateway: TestGateway) {
    this.gateway = gateway;
    this.#pid = gateway.pid;
  }

  static async start(): Promise<IllTreated> {
    return new IllTreated(await TestGateway.start({ config: echoConfig({ server: { body_limit_bytes: BODY_LIMIT } }) }));
  }

  send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.gateway.request('POST', path, { body, headers });
  }

  /** Sends a request that must be answered with 200. Its run must exist at the end. */
  async accepted(body: unknown, path = CHAT, headers: Record<string, string> = {}): Promise<Answer> {
    return this.acceptedOver(() => this.send(path, body, headers));
  }

  /** The same, with the test's own way of sending. */
  async acceptedOver(send: () => Promise<Answer>): Promise<Answer> {
    const answer = await send();
    expect([answer.status, answer.body?.code]).toEqual([200, undefined]);
    this.#answered.push(answer.headers.get('x-svc-run-id') ?? 'none');
    return answer;
  }

  expectRefusal({ status, body, text }: Pick<Answer, 'status' | 'body' | 'text'>, expected: Expected): void {
    expect([status, body?.code]).toEqual(expected);
    const { code, detail, error, ...rest } = body;
    expect(rest).toEqual({});
    expect(detail).toMatch(new RegExp(`^${code}: \\S`));
    // OpenAI's form of the error, on chat-compatible endpoints; see 7-errors.test.ts.
    const param = expect.toBeOneOf([null, expect.stringMatching(/^[a-z_]+(?:\.[a-z_]+|\[\d+\])*$/)]);
    if (error !== undefined) expect(error).toEqual({ message: detail, type: expect.any(String), code, param });
    for (const secret of [CALLER, this.gateway.folder, 'node_modules', '.ts:', '.js:', ...this.gateway.keys.values()]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/\\n\s+at |Error:|prototype|Unexpected/);
  }

  async expectAlive(): Promise<void> {
    expect(this.gateway.pid).toBe(this.#pid);
    expect((await this.gateway.get('/v1/health')).body.status).toBe('ok');
    await this.accepted({ model: 'default', messages: MESSAGES });
  }

  async expectWholeChain(): Promise<void> {
    const records = await this.gateway.ledger();
    const report = await verifyLedger(records.map((record) => canonicalJson(record)));
    expect(report).toMatchObject({ records: records.length, fault: null });
  }

  /** Expects every answered run, with evidence if it has ended, and no run for rejected requests. */
  async expectNothingLost(): Promise<void> {
    const runs: JsonObject[] = (await this.gateway.get('/v1/audit?limit=10000')).body.runs;
    expect(runs.map(({ run_id }) => run_id).sort()).toEqual([...this.#answered].sort());
    const proven = (await this.gateway.ledger()).flatMap(({ run_id }) => run_id ?? []);
    const ended = runs.filter(({ status }) => status !== 'paused').map(({ run_id }) => run_id);
    expect(proven.sort()).toEqual(ended.sort());
  }

  expectQuietLog(): void {
    const { output, keys } = this.gateway;
    expect(output).not.toMatch(/internal_error|unhandled|run_failed|Warning|\n\s+at |\\n\s+at /);
    for (const secret of [CALLER, ...keys.values()]) expect(output).not.toContain(secret);
  }
}

/** Checks that run after all other tests of a file. */
export function describeAftermath(treated: () => IllTreated): void {
  describe('afterwards', () => {
    it('the same process is still running and healthy', () => treated().expectAlive());
    it('the ledger chain is intact', () => treated().expectWholeChain());
    it('no run answered with 200 is lost, and rejected requests created no runs', () => treated().expectNothingLost());
    it('the log has no errors, stack traces, warnings or data of callers', () => treated().expectQuietLog());
  });
}
