import { configuredPrice, type Endpoint, type Price, type Rates, ratesNamed } from '@svc/contracts';
import { CATALOGUE_NAME, type Catalogue, type CatalogueModel } from './catalogue.ts';

/** A catalogue: its package, and the package's version. */
export interface PriceOrigin {
  readonly catalogue: string;
  readonly version: string;
}

interface BookParts {
  /** Prices of the configuration, by `<provider>/<model>` or the provider's name of the model. */
  readonly models: ReadonlyMap<string, Rates>;
  readonly catalogue: Catalogue | null;
  /** Vendor ids of the catalogue, by provider name. */
  readonly vendors: ReadonlyMap<string, string>;
}

/** Prices of models: those of the configuration, then those of the catalogue. */
export class PriceBook {
  readonly #parts: BookParts;

  constructor(parts: BookParts) {
    this.#parts = parts;
  }

  /** Source of the prices that are not in the configuration, or null. */
  get origin(): PriceOrigin | null {
    const { catalogue } = this.#parts;
    return catalogue === null ? null : { catalogue: CATALOGUE_NAME, version: catalogue.version };
  }

  /** The model with its price, if it has one. */
  priced<T extends Endpoint>(endpoint: T): T {
    const { models } = this.#parts;
    const own = ratesNamed(models, endpoint) ?? undefined;
    const price: Price | null | undefined = own === undefined ? this.modelOf(endpoint)?.price : configuredPrice(own);
    return price == null ? endpoint : { ...endpoint, price };
  }

  /** The model in the catalogue. Null: unknown. */
  modelOf({ provider, model }: Pick<Endpoint, 'provider' | 'model'>): CatalogueModel | null {
    const { catalogue, vendors } = this.#parts;
    const vendor = vendors.get(provider);
    return vendor === undefined ? null : (catalogue?.model(vendor, model) ?? null);
  }
}
