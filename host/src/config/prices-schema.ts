import { Rates } from '@svc/contracts';
import { Type } from 'typebox';
import { closed } from './schema-parts.ts';

/** The section `prices`. */
export const PricesSchema = Type.Union(
  [
    Type.Literal('catalogue'),
    closed(
      {
        catalogue: Type.Optional(
          Type.Boolean({
            description: 'Whether models without a price here have that of the catalogue. Default: true.',
          }),
        ),
        models: Type.Optional(
          Type.Record(Type.String({ minLength: 1 }), Rates, {
            description:
              "Own prices, by the provider's own name of the model or by `<provider>/<model>`. They win over the catalogue.",
          }),
        ),
        vendors: Type.Optional(
          Type.Record(Type.String({ minLength: 1 }), Type.String({ minLength: 1 }), {
            description:
              "By key of a provider: whose prices it has, as a vendor's id in the catalogue or the address of its API. Default: what the provider says of itself.",
          }),
        ),
      },
      { description: 'Own prices, and whose prices providers have.' },
    ),
  ],
  {
    title: 'catalogue, or a map of keys and values',
    description:
      'What models cost, for budgets in USD, records and `/v1/usage`. `catalogue` stands for `{ catalogue: true }`: the public prices of vendors in the npm package `@pydantic/genai-prices`. Without this section only packs have prices.',
  },
);
