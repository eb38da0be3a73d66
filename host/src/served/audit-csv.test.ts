import { expect, it } from 'vitest';
import { csvCell } from './audit-csv.ts';

it.each([
  ['plain', 'plain'],
  [12, '12'],
  [-1, '-1'],
  [null, ''],
  [undefined, ''],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['a\r\nb', '"a\r\nb"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@sum', "'@sum"],
  [' =1', "' =1"],
  ['\t=1', "'\t=1"],
  ['＝1', "'＝1"],
  ['\u200b=1', "'\u200b=1"],
  ['=a,"b"', '"\'=a,""b"""'],
  ['alice@example.org', 'alice@example.org'],
])('writes %j as the cell %j', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});
