import { isObject, Rates } from '@svc/contracts';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { Catalogue } from '../prices/catalogue.ts';
import { PriceBook } from '../prices/price-book.ts';
import { nearestName } from './nearest.ts';
import type { ProviderNode } from './providers-section.ts';
import type { Reader } from './reader.ts';
import type { Report } from './report.ts';
import { closed } from './schema-parts.ts';

export const PricesSchema = Type.Union(
  [
    Type.Literal('catalogue'),
    closed(
      {
        catalogue: Type.Optional(
          Type.Boolean({
            description: 'Whether models without a price here use the price of the catalogue. Default: true.',
          }),
        ),
        models: Type.Optional(
          Type.Record(Type.String({ minLength: 1 }), Rates, {
            description:
              'Your prices, by the name that the provider uses for the model or by `<provider>/<model>`. They take precedence over the catalogue.',
          }),
        ),
        vendors: Type.Optional(
          Type.Record(Type.String({ minLength: 1 }), Type.String({ minLength: 1 }), {
            description:
              'The vendor of each provider, by the key of the provider: the id of the vendor in the catalogue, or the address of its API. Default: the vendor that the provider declares.',
          }),
        ),
      },
      { description: 'Own prices, and the vendor of each provider in the catalogue.' },
    ),
  ],
  {
    title: 'catalogue, or a map of keys and values',
    description:
      'Prices of models, for budgets in USD, records and `/v1/usage`. `catalogue` is short for `{ catalogue: true }`: the public prices of vendors in the npm package `@pydantic/genai-prices`. Without this section, only the prices in packs are used.',
  },
);

/** The section `prices`. */
export interface PricesPart {
  /** Null: only packs have prices. */
  readonly prices: PriceBook | null;
}

const Vendor = Type.Object({ vendor: Type.String() });

export const readPrices: Reader<PricesPart> = async (section, { entries, parts: { providers = new Map() }, report }) => {
  const { names } = entries.providers;
  if (section === undefined) return { prices: null };
  if (!Value.Check(PricesSchema, section)) return null;
  const { catalogue: isUsed = true, models = {}, vendors = {} } = isObject(section) ? section : NOTHING;
  for (const name of Object.keys(vendors)) {
    if (names.includes(name)) continue;
    const path = ['prices', 'vendors', name];
    report.error('SVC-POL-002', path, 'unknown provider', { at: 'key', nearest: nearestName(name, names) });
  }
  const own = new Map(Object.entries(models));
  if (!isUsed) return { prices: new PriceBook({ models: own, catalogue: null, vendors: new Map() }) };
  const catalogue = await Catalogue.load();
  const written = new Map(Object.entries(vendors));
  return { prices: new PriceBook({ models: own, catalogue, vendors: vendorsOf(providers, written, catalogue, report) }) };
};

const NOTHING: Exclude<Static<typeof PricesSchema>, string> = {};

/** The catalogue's ids of vendors, by provider. If the file gives an id that is not in the catalogue, this is an error. */
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
      report.error('SVC-POL-002', ['prices', 'vendors', name], 'unknown vendor: the price catalogue does not have it');
  }
  return ids;
}
