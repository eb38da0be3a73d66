import { words } from './recogniser.ts';

/** Words that announce some other kind of number. */
export const OTHER_NUMBERS = words(
  `order orders invoice invoices part parts sku serial tracking shipment parcel ticket case model version isbn issn upc ean
  reference ref receipt confirmation booking reservation item product catalog catalogue batch lot asset build revision`,
);
