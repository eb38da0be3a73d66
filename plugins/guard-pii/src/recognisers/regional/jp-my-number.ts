import { weighedSum } from '../../checksums/weighed-sum.ts';
import { checkedNumber } from './checked-number.ts';

/** Japanese individual number (My Number): twelve digits, modulo 11. */
export const jpMyNumber = checkedNumber(
  'JP_MY_NUMBER',
  { shapes: [[4, 4, 4]], signs: ' .-' },
  'mynumber my_number individual_number マイナンバー 個人番号',
  (code) => {
    const rest = weighedSum(code, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    return !/^(\d)\1+$/.test(code) && (rest < 2 ? 0 : 11 - rest) === Number(code.at(-1));
  },
);
