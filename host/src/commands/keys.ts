import { unknownCommand } from './arguments.ts';
import { printNewKey } from './keys-new.ts';
import { createKey, listKeys, revokeKey, rotateKey } from './keys-of-server.ts';

/** `svc keys new|create|list|rotate|revoke`. */
export async function keys([command, ...args]: string[]): Promise<void> {
  switch (command) {
    case 'new':
      return printNewKey(args);
    case 'create':
      return createKey(args);
    case 'list':
      return listKeys(args);
    case 'rotate':
      return rotateKey(args);
    case 'revoke':
      return revokeKey(args);
    default:
      throw unknownCommand('keys', command, [
        'svc keys new PRINCIPAL',
        'svc keys create PRINCIPAL',
        'svc keys list',
        'svc keys rotate ID',
        'svc keys revoke ID',
      ]);
  }
}
