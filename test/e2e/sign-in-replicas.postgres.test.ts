import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { sql } from '../../plugins/store-postgres/src/test-database.ts';
import { echoConfig, type TestGateway } from '../harness/gateway.ts';
import { IssuerProcess } from '../harness/issuer-process.ts';
import { locationOf, Person } from '../harness/person.ts';
import { Replicas } from '../harness/replicas.ts';

let issuer: IssuerProcess;
let replicas: Replicas;
let one: TestGateway;
let other: TestGateway;
beforeAll(async () => {
  issuer = await IssuerProcess.start({ groups: { anna: ['users'] } });
  const { client_id, client_secret } = issuer.client;
  const roles = { claim: 'groups', map: { users: ['call'] } };
  const oidc = [{ issuer: issuer.url, audience: IssuerProcess.AUDIENCE, roles, client_id, client_secret }];
  replicas = await Replicas.start(inject('postgres'), echoConfig({ auth: { oidc }, server: { trust_proxy: true } }), 0);
  [one, other] = await Promise.all([replicas.add(), replicas.add()]);
});
afterAll(async () => {
  await replicas?.dispose();
  await issuer?.stop();
});

const routesAt = async (gateway: TestGateway, person: Person): Promise<number> =>
  (await person.ask(`${gateway.url}/v1/routes`)).status;

it('a session that began at one replica is valid at another, which can end it for both at once', async () => {
  const person = new Person(one, 'anna');
  expect((await person.signIn(issuer.url)).status).toBe(303);
  const { cookies } = person;
  const thief = new Person(other, 'anna');
  thief.cookies.set('svc_session', cookies.get('svc_session') ?? '');
  expect([await routesAt(one, person), await routesAt(other, person)]).toEqual([200, 200]);
  const { csrf } = (await person.ask(`${other.url}/auth/session`)).body;
  const ended = await person.ask(`${other.url}/auth/logout`, { method: 'POST', headers: { 'x-svc-csrf': csrf } });
  expect(ended.status).toBe(200);
  expect([await routesAt(one, thief), await routesAt(other, thief)]).toEqual([401, 401]);
});

it('a sign-in that began at one replica may return to another with the same host name', async () => {
  const person = new Person(one, 'anna');
  const headers = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': '127.0.0.1:1' };
  const begun = await person.ask(`/auth/login?${new URLSearchParams({ issuer: issuer.url })}`, { headers });
  const { origin, pathname, search } = new URL(await person.passIssuer(locationOf(begun)));
  expect(origin).toBe('http://127.0.0.1:1');
  expect((await person.ask(`${other.url}${pathname}${search}`, { headers })).status).toBe(303);
  expect(await routesAt(one, person)).toBe(200);
});

it("a session that has expired by the database's clock is over at both", async () => {
  const person = new Person(one, 'anna');
  await person.signIn(issuer.url);
  expect(await routesAt(other, person)).toBe(200);
  await sql(replicas.url, "UPDATE svc.lease SET expires_at = clock_timestamp() WHERE name LIKE 'session/%'");
  expect([await routesAt(one, person), await routesAt(other, person)]).toEqual([401, 401]);
});
