import { createHash } from 'node:crypto';
import { bech32, bech32m, createBase58check } from '@scure/base';
import { type Recogniser, words } from './recogniser.ts';

const base58check = createBase58check((data: Uint8Array) => createHash('sha256').update(data).digest());

/** Bytes of an address before its checksum: the kind and a hash of 20 bytes. */
const ADDRESS_BYTES = 21;
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{26,35}$/;
const BECH32 = /^(?:(?:bc|tb|ltc)1[02-9ac-hj-np-z]{8,71}|(?:BC|TB|LTC)1[02-9AC-HJ-NP-Z]{8,71})$/;
const ETHEREUM = /^0x[0-9a-fA-F]{40}$/;

/** Wallet addresses: base58check (Bitcoin, Litecoin, Dogecoin, Tron …), bech32 and bech32m. Ethereum's are recognised by their form. */
export const crypto: Recogniser = {
  entity_type: 'CRYPTO',
  anchor: 'token',
  context: { for: words('wallet btc bitcoin crypto eth ethereum litecoin ltc usdt address') },
  at(text, { start, end }) {
    if (end - start < 26 || end - start > 90) return null;
    const address = text.slice(start, end);
    if (ETHEREUM.test(address)) return { start, end, score: 0.5 };
    const isValid = BASE58.test(address) ? isBase58Address(address) : BECH32.test(address) && isBech32Address(address);
    return isValid ? { start, end, score: 1 } : null;
  },
};

function isBase58Address(address: string): boolean {
  try {
    return base58check.decode(address).length === ADDRESS_BYTES;
  } catch {
    return false;
  }
}

function isBech32Address(address: string): boolean {
  return [bech32, bech32m].some((coder) => coder.decodeUnsafe(address, 90) !== undefined);
}
