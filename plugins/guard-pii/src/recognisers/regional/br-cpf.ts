import { checkedNumber } from './checked-number.ts';

/** Brazilian tax number of individuals (CPF), with two check digits. */
export const brCpf = checkedNumber(
  'BR_CPF',
  { shapes: [[3, 3, 3, 2]], signs: ' .-/' },
  'cpf cadastro_pessoa pessoa_física',
  (code) =>
    !/^(\d)\1+$/.test(code) && checkOf(code.slice(0, 9)) === code.charAt(9) && checkOf(code.slice(0, 10)) === code.charAt(10),
);

function checkOf(digits: string): string {
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (digits.length + 1 - index), 0);
  return String(((sum * 10) % 11) % 10);
}
