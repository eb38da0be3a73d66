import { StoreError } from '@svc/sdk/store';
import { openStore } from '../test-store.ts';
import { say } from './protocol.ts';

/** Opens the store in the given folder, reports that, and keeps it open until this process is ended. */
try {
  await openStore(process.argv[2] ?? '');
  say({ opened: true });
  setInterval(() => {}, 1000);
} catch (error) {
  say({ opened: false, code: error instanceof StoreError ? error.code : 'other' });
}
