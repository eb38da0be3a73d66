import type { ModelInventory, Store, UnplacedRecord } from '@svc/contracts';
import { canonicalJson, prepareRecord } from '@svc/ledger';

/** The content of a route's inventory record, without the dates that depend on the ledger. */
export type RouteDefinition = Omit<
  ModelInventory,
  'seq' | 'prev_hash' | 'hash' | 'date_of_deployment' | 'next_review_date' | 'svc_config_path'
>;

export interface RouteInventory {
  readonly definition: RouteDefinition;
  readonly review_interval_days: number | null;
  readonly config_path: string;
}

const PAGE = 1000;

/** The inventory record of a route for this start. */
export async function inventoryRecord(route: RouteInventory, store: Store, now: number): Promise<UnplacedRecord> {
  return recordOf(await bodyOf(route, store, now));
}

/** The inventory record of a route. Null if the newest one has the same content. */
export async function changedInventory(route: RouteInventory, store: Store, now: number): Promise<UnplacedRecord | null> {
  const newest = await newestInventory(route, store);
  const body = await bodyOf(route, store, now);
  if (newest === null) return recordOf(body);
  const { seq, prev_hash, hash, ...stored } = newest;
  return canonicalJson(stored) === canonicalJson(body) ? null : recordOf(body);
}

type InventoryBody = Omit<ModelInventory, 'seq' | 'prev_hash' | 'hash'>;

function recordOf(body: InventoryBody): UnplacedRecord {
  return { record_type: 'model_inventory', model_id: body.model_id, parts: prepareRecord(body), change: null };
}

/** If the ledger already has the same definition, its date of deployment is kept. */
async function bodyOf(route: RouteInventory, store: Store, now: number): Promise<InventoryBody> {
  const { definition, review_interval_days, config_path } = route;
  const date_of_deployment = (await firstSeen(definition, store)) ?? new Date(now).toISOString();
  const reviewed = definition.date_of_most_recent_review ?? date_of_deployment;
  return {
    ...definition,
    date_of_deployment,
    next_review_date: review_interval_days === null ? null : addDays(reviewed, review_interval_days),
    svc_config_path: config_path,
  };
}

/** The newest inventory record of a route, or null. */
export async function newestInventory({ definition }: RouteInventory, store: Store): Promise<ModelInventory | null> {
  let newest: ModelInventory | null = null;
  for await (const record of inventoryOf(definition.model_id, store)) newest = record;
  return newest;
}

async function firstSeen(definition: RouteDefinition, store: Store): Promise<string | null> {
  const wanted = canonicalJson(definition);
  for await (const { date_of_deployment, ...rest } of inventoryOf(definition.model_id, store)) {
    if (canonicalJson(definitionOf(rest)) === wanted) return date_of_deployment;
  }
  return null;
}

/** All inventory records of a route, oldest first. */
async function* inventoryOf(model_id: string, store: Store): AsyncGenerator<ModelInventory> {
  for (let since_seq = 0; ; ) {
    const records = await store.records({ record_type: 'model_inventory', model_id, limit: PAGE, since_seq });
    for (const { bytes, seq } of records) {
      yield JSON.parse(bytes) as ModelInventory;
      since_seq = seq;
    }
    if (records.length < PAGE) return;
  }
}

function definitionOf(record: Omit<ModelInventory, 'date_of_deployment'>): RouteDefinition {
  const { seq, prev_hash, hash, next_review_date, svc_config_path, ...definition } = record;
  return definition;
}

/** The ISO date that is this many days after a date or date-time. */
function addDays(from: string, days: number): string {
  const date = new Date(from);
  date.setUTCDate(date.getUTCDate() + days);
  return date.toISOString().slice(0, 10);
}
