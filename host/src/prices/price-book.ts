import { configuredPrice, type Endpoint, type Price, type Rates, ratesNamed } from '@svc/contracts';
import { CATALOGUE_NAME, type Catalogue, type CatalogueModel } from './catalogue.ts';

/** A catalogue: its package, and the version of that. */
export interface PriceOrigin {
  readonly catalogue: string;
  readonly version: string;
}

interface BookParts {
  /** Of the configuration, by `<provider>/<model>` or the provider's name of the model. */
  readonly models: ReadonlyMap<string, Rates>;
  readonly catalogue: Catalogue | null;
  /** The catalogue's ids of the vendors of providers, by the provider's name. */
  readonly vendors: ReadonlyMap<string, string>;
}

/** What models cost: by the configuration, then by the catalogue. */
export class PriceBook {
  readonly #parts: BookParts;

  constructor(parts: BookParts) {
    this.#parts = parts;
  }

  /** Where prices come from that the configuration does not have; null: there are none. */
  get origin(): PriceOrigin | null {
    const { catalogue } = this.#parts;
    return catalogue === null ? null : { catalogue: CATALOGUE_NAME, version: catalogue.version };
  }

  /** With its price, where it has one. */
  priced<T extends Endpoint>(endpoint: T): T {
    const { models } = this.#parts;
    const own = ratesNamed(models, endpoint) ?? undefined;
    const price: Price | null | undefined = own === undefined ? this.modelOf(endpoint)?.price : configuredPrice(own);
    return price == null ? endpoint : { ...endpoint, price };
  }

  /** What the catalogue knows of a model; null: nothing. */
  modelOf({ provider, model }: Pick<Endpoint, 'provider' | 'model'>): CatalogueModel | null {
    const { catalogue, vendors } = this.#parts;
    const vendor = vendors.get(provider);
    return vendor === undefined ? null : (catalogue?.model(vendor, model) ?? null);
  }
}
