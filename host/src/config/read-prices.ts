import { isObject } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { Catalogue } from '../prices/catalogue.ts';
import { PriceBook } from '../prices/price-book.ts';
import { nearestName } from './nearest.ts';
import { PricesSchema } from './prices-schema.ts';
import type { Report } from './report.ts';
import type { ProviderNode } from './resolved.ts';

const Vendor = Type.Object({ vendor: Type.String() });

/**
 * The prices of a configuration; null: it has none.
 * @param names of all providers @param providers those that could be created
 */
export async function readPrices(
  section: unknown,
  names: readonly string[],
  providers: ReadonlyMap<string, ProviderNode>,
  report: Report,
): Promise<PriceBook | null> {
  if (section === undefined || !Value.Check(PricesSchema, section)) return null;
  const { catalogue: isUsed = true, models = {}, vendors = {} } = isObject(section) ? section : NOTHING;
  for (const name of Object.keys(vendors)) {
    if (names.includes(name)) continue;
    const path = ['prices', 'vendors', name];
    report.error('SVC-POL-002', path, 'there is no such provider', { at: 'key', nearest: nearestName(name, names) });
  }
  const own = new Map(Object.entries(models));
  if (!isUsed) return new PriceBook({ models: own, catalogue: null, vendors: new Map() });
  const catalogue = await Catalogue.load();
  return new PriceBook({
    models: own,
    catalogue,
    vendors: vendorsOf(providers, new Map(Object.entries(vendors)), catalogue, report),
  });
}

const NOTHING: Exclude<Static<typeof PricesSchema>, string> = {};

/** The catalogue's ids, by provider. One that is written is known, or an error. */
function vendorsOf(
  providers: ReadonlyMap<string, ProviderNode>,
  written: ReadonlyMap<string, string>,
  catalogue: Catalogue,
  report: Report,
): Map<string, string> {
  const ids = new Map<string, string>();
  for (const [name, { instance }] of providers) {
    const vendor = written.get(name) ?? (Value.Check(Vendor, instance) ? instance.vendor : undefined);
    const id = vendor === undefined ? null : catalogue.vendorOf(vendor);
    if (id !== null) ids.set(name, id);
    else if (written.has(name))
      report.error('SVC-POL-002', ['prices', 'vendors', name], 'the catalogue of prices has no such vendor');
  }
  return ids;
}
