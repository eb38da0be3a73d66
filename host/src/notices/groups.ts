import { MAX_RUNS, type NoticeGroup } from './notice.ts';

/** Beyond this number, groups are merged into one per event, without names. */
const MAX_GROUPS = 100;

/** Groups occurrences by subject. Bounded in size. */
export class Groups {
  readonly #groups = new Map<string, NoticeGroup>();

  constructor(groups: readonly NoticeGroup[] = []) {
    for (const group of groups) this.add(group);
  }

  get list(): readonly NoticeGroup[] {
    return [...this.#groups.values()];
  }

  add(group: NoticeGroup): void {
    const isNamed = this.#groups.has(keyOf(group)) || this.#groups.size < MAX_GROUPS;
    const added = isNamed ? group : { ...group, route: null, name: null, code: null, amount: null };
    const key = keyOf(added);
    const before = this.#groups.get(key);
    this.#groups.set(key, before === undefined ? added : joined(before, added));
  }

  /** Removes and returns all groups. */
  take(): readonly NoticeGroup[] {
    const taken = this.list;
    this.#groups.clear();
    return taken;
  }
}

function joined(one: NoticeGroup, other: NoticeGroup): NoticeGroup {
  const run_ids = [...one.run_ids, ...other.run_ids].slice(0, MAX_RUNS);
  return { ...other, count: one.count + other.count, run_ids, since: Math.min(one.since, other.since) };
}

function keyOf({ event, route, name, code }: NoticeGroup): string {
  return JSON.stringify([event, route, name, code]);
}
