import type { Api } from './api.ts';
import type { Route, RouteList } from './api-types.ts';

/** A signed-in visitor, with the roles and routes of the key. */
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

  may(role: 'call' | 'approve' | 'audit' | 'admin'): boolean {
    return this.#list.caller.roles.includes(role);
  }

  /** Null if this key cannot use the route, or the route is not configured. */
  route(name: string): Route | null {
    return this.#list.routes.find((route) => route.name === name) ?? null;
  }
}
