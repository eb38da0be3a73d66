import type { Endpoint } from '@svc/contracts';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { capabilitiesOf } from './capabilities.ts';
import { Catalogue } from './catalogue.ts';
import { PriceBook } from './price-book.ts';

let catalogue: Catalogue;
beforeAll(async () => {
  catalogue = await Catalogue.load();
});
const at = (model: string, provider = 'mine'): Endpoint => ({ provider, model, region: null });

describe('the catalogue', () => {
  test.each([
    ['https://api.openai.com/v1', 'openai'],
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://my-resource.openai.azure.com/openai/v1', 'azure'],
    ['https://generativelanguage.googleapis.com', 'google'],
    ['https://europe-west1-aiplatform.googleapis.com/v1/projects/p/locations/l/endpoints/openapi', 'google'],
    ['https://api.x.ai/v1', 'x-ai'],
    ['amazon-bedrock', 'aws'],
    ['xai', 'x-ai'],
    ['http://127.0.0.1:11434/v1', null],
    ['nobody', null],
  ])('knows %s as %s', (vendor, id) => expect(catalogue.vendorOf(vendor)).toBe(id));

  test.each([
    ['openai', 'gpt-4o-2024-08-06', 2.5],
    ['anthropic', 'claude-sonnet-4-5-20250929', 3],
    ['google', 'models/gemini-2.5-pro', 1.25],
    ['azure', 'gpt-4o', 2.5],
  ])('has the alias %s %s', (vendor, model, input) => {
    expect(catalogue.model(vendor, model)?.price).toMatchObject({
      source: 'catalogue',
      version: catalogue.version,
      rates: [{ input }],
    });
  });

  it('knows nothing about other models, and has a version', () => {
    expect(catalogue.model('openai', 'my-own')).toBeNull();
    expect(catalogue.version).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('a price', () => {
  const own = { input: 7, output: 8 };
  const book = () =>
    new PriceBook({
      models: new Map([
        ['gpt-4o', own],
        ['other/gpt-4o', { input: 9, output: 9 }],
      ]),
      catalogue,
      vendors: new Map([
        ['mine', 'openai'],
        ['other', 'openai'],
      ]),
    });

  it('of the configuration takes precedence, first the one for a single provider', () => {
    expect(book().priced(at('gpt-4o')).price).toEqual({ source: 'configuration', rates: [own] });
    expect(book().priced(at('gpt-4o', 'other')).price?.rates).toEqual([{ input: 9, output: 9 }]);
  });

  it("otherwise comes from the catalogue, if that has the provider's vendor", () => {
    expect(book().priced(at('gpt-4o-mini')).price?.source).toBe('catalogue');
    expect(book().priced(at('gpt-4o-mini', 'unknown'))).not.toHaveProperty('price');
    expect(book().priced(at('my-own'))).not.toHaveProperty('price');
  });

  it('without a catalogue comes from the configuration', () => {
    const alone = new PriceBook({ models: new Map([['a', own]]), catalogue: null, vendors: new Map() });
    expect(alone.origin).toBeNull();
    expect(alone.priced(at('gpt-4o-mini'))).not.toHaveProperty('price');
  });

  describe('and capabilities', () => {
    it('are those that all models of a route have in common', () => {
      const of = (...models: string[]) =>
        capabilitiesOf(
          models.map((model) => at(model)),
          book(),
        );
      expect(of('gpt-4o-mini')).toEqual({ context_length: 128_000, input_modalities: [], output_modalities: [] });
      expect(of('gpt-4o-mini', 'gpt-4.1').context_length).toBe(128_000);
      expect(of('gpt-4o-mini', 'my-own').context_length).toBeNull();
      expect(of('gpt-realtime').input_modalities).toEqual(['text', 'audio', 'image']);
      expect(of('gpt-realtime', 'gpt-4o-mini').input_modalities).toEqual([]);
    });

    it('are not known without prices', () => {
      expect(capabilitiesOf([at('gpt-4o')], null)).toEqual({ context_length: null, input_modalities: [], output_modalities: [] });
    });
  });
});
