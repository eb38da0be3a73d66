import { fakeGuardContext } from '@svc/sdk/testing';
import { finderConformance } from '@svc/toolkit/testing';
import { describe, expect, test } from 'vitest';
import { recognisersOf } from './entities.ts';
import { patternFinder } from './pattern-finder.ts';
import { guardOf } from './test-guard.ts';

async function found(text: string): Promise<string[]> {
  const { findings = [] } = (await guardOf({ exclude: ['PERSON'] }).scan?.(text, fakeGuardContext())) ?? {};
  return findings.map(({ start, end }) => text.slice(start, end));
}

const VALUE = '212-456-7890';

const SAME_FOR_ANY_PIECES = [
  'Ann | SSN 123-45-6789 | 212-456-7890, order 212-456-7891, 212-456-7892 and invoice Ann Lee 212-456-7893',
  'name,order\nAnn,212-456-7890\n\nOrders:\n1. 212-456-7890\n2. 212-456-7891\nmy order is late. 212-456-7892 ISBN 978 0 306 40615 7',
];
const finder = patternFinder(recognisersOf(['PHONE_NUMBER', 'US_SSN']), 0.4);
for (const { name, run } of finderConformance({ finder, texts: SAME_FOR_ANY_PIECES })) test(`a finder with labels ${name}`, run);

describe("another value's label does not speak against a phone number", () => {
  test.each([
    `John Smith | SSN 123-45-6789 | ${VALUE} | john@x.org`,
    `Passport 123456789, ${VALUE}`,
    `invoice 42 for Ann Lee, ${VALUE}`,
    `invoice 42 ${VALUE}`,
    `invoice Ann Lee ${VALUE}`,
    `invoice for Ann Lee, ${VALUE}`,
    `ticket john@x.org ${VALUE}`,
    `ticket https://x.org/a ${VALUE}`,
    `Order 2024-05-06, ${VALUE}`,
    // Labels in fields, tables, lists, JSON and XML.
    `Ann,123-45-6789,${VALUE},order 77`,
    `name,ssn,home\nAnn,123-45-6789,${VALUE}`,
    `| Name | SSN | Nr |\n|---|---|---|\n| Ann | 123-45-6789 | ${VALUE} |`,
    `<td>SSN</td><td>123-45-6789</td><td>${VALUE}</td>`,
    `Passport:\tA12345678\t${VALUE}`,
    `- Passport: A12345678\n- ${VALUE}`,
    `{"passport":"A12345678","value":"${VALUE}"}`,
    `{"order": 42, "x": "${VALUE}"}`,
    `<ssn>123-45-6789</ssn>${VALUE}`,
    `SSN=123-45-6789&n=${VALUE}`,
    // Labels after their values, without a value, or with a masked one.
    `123-45-6789 SSN, ${VALUE} is hers`,
    `123-45-6789 SSN ${VALUE} home`,
    `123-45-6789 (SSN), ${VALUE} (home)`,
    `Ann | SSN: | ${VALUE}`,
    `SSN: n/a | ${VALUE}`,
    `SSN *** | ${VALUE}`,
    `SSN <US_SSN_1> | ${VALUE}`,
    // Labels in another sentence, and labels of something else.
    `My order is late. ${VALUE}`,
    `I lost my passport and my number is ${VALUE}`,
    `the ticket owner ${VALUE}`,
    // Foreign labels, and labels of grouped values.
    `DNI 12345678Z, ${VALUE}`,
    `PESEL 44051401359; ${VALUE}`,
    `NAS 046 454 286, ${VALUE}`,
    `card 4111 1111 1111 1111 ${VALUE}`,
    'SSN 123 45 6789 212 456 7890',
    `IBAN DE89 3704 0044 0532 0130 00, ${VALUE}`,
  ])('%j', async (text) => {
    expect(await found(text)).toContain(text.includes(VALUE) ? VALUE : '212 456 7890');
  });
});

test.each([
  ['order [+1 212 456 7890]'],
  ['case [+44 20 7946 0958]'],
  ['order: [(+1) 212 456 7890]'],
  ['invoice [(212) 456-7890]'],
])('nor does any label where the form says enough: %s', async (sample) => {
  expect(await found(sample.replace(/[[\]]/g, ''))).toEqual([/\[(.*)\]/.exec(sample)?.[1]]);
});

test.each([
  ['Phone 212-456-7890, 123-45-6789', '123-45-6789'],
  ['fax: 212-456-7890 | 123-45-6789', '123-45-6789'],
  ['a booking for 123-45-6789', '123-45-6789'],
  ['version 2, 10.0.0.1', '10.0.0.1'],
  ['release 5 to 10.0.0.1', '10.0.0.1'],
])('the same holds of other entities: %j', async (text, value) => {
  expect(await found(text)).toContain(value);
});

describe("a value's own label does", () => {
  test.each([
    `order ${VALUE}`,
    `Order no. ${VALUE}`,
    `INVOICE NUMBER: ${VALUE}`,
    `The tracking code is: ${VALUE}.`,
    `Invoice(s) ${VALUE}`,
    `Her order, ${VALUE}, has shipped`,
    `Order - ${VALUE}`,
    `Order\n${VALUE}`,
    `Customer 77 order ${VALUE}`,
    `2024-05-06 12:30:00 order ${VALUE}`,
    `Order 46545 invoice ${VALUE}`,
    `| **Order:** | ${VALUE} |`,
    `| Name | Order no. |\n|---|---|\n| Ann | ${VALUE} |`,
    `name,order\nAnn,${VALUE}`,
    `<td>Order</td><td>${VALUE}</td>`,
    `<b>Order:</b> ${VALUE}`,
    `<order>${VALUE}</order>`,
    `{"order":"${VALUE}"}`,
    `{"orders":["${VALUE}","212-456-7891"]}`,
    `Orders ${VALUE}, 212-456-7891 and 212-456-7892`,
    `Orders:\n1. ${VALUE}\n2. 212-456-7891`,
    `Orders:\n- ${VALUE}\n- 212-456-7891`,
    'ISBN 0-306-40615-2',
    '| ISBN | 978 0 638 67442 5 |',
    'ISBN 13: 0 02 109428 6',
    'ISBN-10: 0-306-40615-2',
    'ISBN 978 0 306 40615 7',
    'Ref 5856 7326 8195 0446 6001 66',
    'Ticket 2833 0986 7540 3904 4414 63',
    `| invoice # | ${VALUE} |`,
    'tracking 1Z 999 AA1 01 2345 6784',
    'versions 4.2.1.0, 4.2.2.0 and 4.2.10.0',
    'my SIN is 046 454 286',
  ])('%j', async (text) => {
    expect(await found(text)).toEqual([]);
  });
});
