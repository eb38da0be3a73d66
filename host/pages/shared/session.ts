import type { Api } from './api.ts';
import type { Route, RouteList } from './api-types.ts';

/** A visitor who is signed in: what the gateway lets this key do, and the routes that it is for. */
export class Session {
  readonly api: Api;
  #list: RouteList;

  private constructor(api: Api, list: RouteList) {
    this.api = api;
    this.#list = list;
  }

  static async begin(api: Api): Promise<Session> {
    return new Session(api, await api.routes());
  }

  get principal_id(): string {
    return this.#list.caller.principal_id;
  }

  get routes(): readonly Route[] {
    return this.#list.routes;
  }

  may(role: 'call' | 'approve' | 'audit'): boolean {
    return this.#list.caller.roles.includes(role);
  }

  /** Null where this key is not for the route, or it is not configured (any more). */
  route(name: string): Route | null {
    return this.#list.routes.find((route) => route.name === name) ?? null;
  }
}
