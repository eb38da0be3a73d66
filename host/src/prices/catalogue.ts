import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ModelInfo } from '@pydantic/genai-prices';
import type { Price } from '@svc/contracts';
import { nearestPackageJson } from '@svc/kernel/plugins';
import { ratesOf } from './rates.ts';

export const CATALOGUE_NAME = '@pydantic/genai-prices';

const MAX_KEPT = 10_000;

/** A model in the catalogue. */
export interface CatalogueModel {
  /** Null: usage does not report what is billed. */
  readonly price: Price | null;
  /** In tokens. Null: not known. */
  readonly context_length: number | null;
  /** Kinds besides text that are billed separately. There may be more. */
  readonly input: readonly string[];
  readonly output: readonly string[];
}

type Library = typeof import('@pydantic/genai-prices');

/** Public prices of vendors. They are data of an npm package, so nothing is fetched. */
export class Catalogue {
  readonly version: string;
  readonly #library: Library;
  readonly #models = new Map<string, CatalogueModel | null>();

  private constructor(library: Library, version: string) {
    this.#library = library;
    this.version = version;
  }

  /** Loaded on demand, because its data cost memory and time. */
  static async load(): Promise<Catalogue> {
    const library = await import('@pydantic/genai-prices');
    const file = nearestPackageJson(dirname(fileURLToPath(import.meta.resolve(CATALOGUE_NAME))));
    const { version } = JSON.parse(file === null ? '{}' : readFileSync(file, 'utf8')) as { version?: string };
    return new Catalogue(library, version ?? 'unknown');
  }

  /**
   * The catalogue's id of a vendor, or null.
   * @param vendor an id, a known name, or the address of an API
   */
  vendorOf(vendor: string): string | null {
    const isUrl = /^https?:/i.test(vendor);
    return this.#library.findProvider(isUrl ? { providerApiUrl: vendor } : { providerId: vendor })?.id ?? null;
  }

  /**
   * @param vendor an id of the catalogue
   * @param name name as in the vendor's API, or an alias of a version
   */
  model(vendor: string, name: string): CatalogueModel | null {
    const key = JSON.stringify([vendor, name]);
    let model = this.#models.get(key);
    if (model === undefined) {
      model = this.#find(vendor, name.replace(/^models\//, ''));
      // Callers may name any number of models, so the cache is limited.
      if (this.#models.size >= MAX_KEPT) this.#models.clear();
      this.#models.set(key, model);
    }
    return model;
  }

  #find(vendor: string, name: string): CatalogueModel | null {
    const found = this.#library.calcPrice({}, name, { providerId: vendor })?.model;
    if (found === undefined) return null;
    const rates = ratesOf(found);
    return {
      price: rates === null ? null : { source: 'catalogue', version: this.version, rates },
      context_length: found.context_window ?? null,
      input: kindsOf(found, 'input'),
      output: kindsOf(found, 'output'),
    };
  }
}

function kindsOf({ prices }: ModelInfo, direction: 'input' | 'output'): string[] {
  const units = (Array.isArray(prices) ? prices.map((one) => one.prices) : [prices]).flatMap(Object.keys);
  return ['audio', 'image', 'video'].filter((kind) => units.some((unit) => unit.startsWith(`${direction}_${kind}_`)));
}
