import type { Clock, Store } from '@svc/contracts';
import type { BytesInFlight } from '../admission/bytes-in-flight.ts';
import type { AnswerTransport } from './attempt.ts';
import type { LedgerWriter } from './ledger-writer.ts';
import type { RuntimeRoute } from './route.ts';
import type { PausePolicy } from './run-policy.ts';
import type { RunVault } from './run-vault.ts';
import type { UpstreamEnv } from './stage.ts';

/** The dependencies shared by all code for runs. `policy`, `texts`, `vault`, `pauses` and `whole` are ports, and all of them are required. */
export interface RunsEnv extends UpstreamEnv {
  readonly store: Store;
  readonly writer: LedgerWriter;
  readonly vault: RunVault;
  readonly pauses: PausePolicy;
  /** For answers that are returned whole. */
  readonly whole: AnswerTransport;
  readonly bytes: BytesInFlight;
  readonly clock: Clock;
  readonly routes: ReadonlyMap<string, RuntimeRoute>;
  /** The name of this process in run rows and leases. */
  readonly instance: string;
}
