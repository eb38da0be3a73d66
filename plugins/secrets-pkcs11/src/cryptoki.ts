import koffi from 'koffi';

/** What this plugin uses of PKCS#11 (Cryptoki, OASIS, version 2.40). Names and numbers are those of the standard. Unix only: CK_ULONG has 8 bytes. */

export const ULONG_BYTES = 8;
/** After the version, padded to the size of a pointer. */
const FIRST_FUNCTION = 8;

/** Position in CK_FUNCTION_LIST, and the parameters. Pointers are buffers. */
const FUNCTIONS = {
  C_Initialize: [0, 'void *'],
  C_GetSlotList: [4, 'uint8_t, void *, void *'],
  C_GetTokenInfo: [6, 'unsigned long, void *'],
  C_OpenSession: [12, 'unsigned long, unsigned long, void *, void *, void *'],
  C_Login: [18, 'unsigned long, unsigned long, void *, unsigned long'],
  C_GetAttributeValue: [24, 'unsigned long, unsigned long, _Inout_ CK_ATTRIBUTE *, unsigned long'],
  C_FindObjectsInit: [26, 'unsigned long, CK_ATTRIBUTE *, unsigned long'],
  C_FindObjects: [27, 'unsigned long, void *, unsigned long, void *'],
  C_FindObjectsFinal: [28, 'unsigned long'],
  C_SignInit: [42, 'unsigned long, CK_MECHANISM *, unsigned long'],
  C_Sign: [43, 'unsigned long, void *, unsigned long, void *, void *'],
} as const;
type Name = keyof typeof FUNCTIONS;
type CFunction = (...parameters: readonly unknown[]) => unknown;

export const CKR = {
  USER_ALREADY_LOGGED_IN: 0x100,
  CRYPTOKI_ALREADY_INITIALIZED: 0x191,
} as const;

/** A call did not return CKR_OK. */
export class CryptokiError extends Error {
  override readonly name = 'CryptokiError';
  readonly call: string;
  /** The return value. Null: the library cannot be loaded. */
  readonly code: number | null;
  constructor(call: string, code: number | null) {
    super(`${call}: ${code}`);
    this.call = call;
    this.code = code;
  }
}

export interface Attribute {
  readonly type: number;
  readonly value: Buffer;
}

/** A loaded library. */
export class Cryptoki {
  readonly #functions: ReadonlyMap<string, CFunction>;

  /** @throws {CryptokiError} if this is no PKCS#11 library */
  constructor(file: string) {
    try {
      const library = koffi.load(file);
      koffi.struct('CK_ATTRIBUTE', { type: 'unsigned long', value: 'void *', length: 'unsigned long' });
      koffi.struct('CK_MECHANISM', { mechanism: 'unsigned long', parameter: 'void *', length: 'unsigned long' });
      const list: [unknown] = [null];
      const code = Number(library.func('unsigned long C_GetFunctionList(_Out_ void **list)')(list));
      if (code !== 0) throw new CryptokiError('C_GetFunctionList', code);
      const functions = Object.entries(FUNCTIONS).map(([name, [index, parameters]]): [string, CFunction] => {
        const pointer = koffi.decode(list[0], FIRST_FUNCTION + ULONG_BYTES * index, 'void *');
        return [name, koffi.decode(pointer, koffi.proto(`unsigned long ${name}(${parameters})`))];
      });
      this.#functions = new Map(functions);
    } catch (error) {
      throw error instanceof CryptokiError ? error : new CryptokiError('load', null);
    }
  }

  /** @throws {CryptokiError} unless it returns CKR_OK or one of `allowed` */
  call(name: Name, parameters: readonly unknown[], ...allowed: readonly number[]): number {
    const code = Number(this.#functions.get(name)?.(...parameters) ?? Number.NaN);
    if (code !== 0 && !allowed.includes(code)) throw new CryptokiError(name, code);
    return code;
  }
}

/** CK_ULONG in memory. */
export function ulong(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(ULONG_BYTES);
  new BigUint64Array(bytes.buffer, bytes.byteOffset, 1)[0] = BigInt(value);
  return bytes;
}

export function fromUlong(bytes: Buffer, index = 0): bigint {
  return new BigUint64Array(bytes.buffer, bytes.byteOffset, bytes.length / ULONG_BYTES)[index] ?? 0n;
}

/** Room for this number of CK_ULONG. */
export function ulongs(count: number): Buffer {
  return Buffer.alloc(ULONG_BYTES * count);
}

/** A template of CK_ATTRIBUTE. */
export function template(attributes: readonly Attribute[]): readonly object[] {
  return attributes.map(({ type, value }) => ({ type, value, length: value.length }));
}
