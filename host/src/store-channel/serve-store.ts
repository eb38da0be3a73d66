import type { Store } from '@svc/contracts';
import { crossing } from './errors.ts';
import { JoinedCommits } from './joined-commits.ts';
import type { Asks, Channel, StoreAnswer, StoreCall } from './messages.ts';

/**
 * Serves this open store to `ChannelStore`s at the other end of channels.
 * @returns a function that serves one more channel
 */
export function serveStore(store: Store): (channel: Channel) => void {
  const asks = asksOf(store);
  const answer = async ({ id, asked, args }: StoreCall): Promise<StoreAnswer> => {
    try {
      return { id, value: await (asks[asked] as (...given: readonly unknown[]) => Promise<unknown>)(...args) };
    } catch (error) {
      return { id, error: crossing(error) };
    }
  };
  return (channel) =>
    channel.onMessage(async (message) => {
      const call = message as StoreCall;
      const answered = await answer(call);
      try {
        channel.post(answered);
      } catch (error) {
        // A value cannot be cloned.
        channel.post({ id: call.id, error: crossing(error) } satisfies StoreAnswer);
      }
    });
}

function asksOf(store: Store): Asks {
  const commits = new JoinedCommits(store);
  return {
    commit: (changes, records) =>
      commits.commit(
        changes.map(([json, put_content]) => ({ ...JSON.parse(json), put_content })),
        records,
      ),
    run: (...args) => store.run(...args),
    runOfKey: (...args) => store.runOfKey(...args),
    statuses: (...args) => store.statuses(...args),
    runs: (...args) => store.runs(...args),
    countRuns: () => store.countRuns(),
    content: (...args) => store.content(...args),
    eraseContent: (...args) => store.eraseContent(...args),
    runsWithContent: (...args) => store.runsWithContent(...args),
    expireContent: (...args) => store.expireContent(...args),
    head: () => store.head(),
    sessionHead: (...args) => store.sessionHead(...args),
    records: (...args) => store.records(...args),
    recordsBySeq: (...args) => store.recordsBySeq(...args),
    reserve: (...args) => store.counters.reserve(...args),
    readCounters: (...args) => store.counters.read(...args),
    acquireLease: (...args) => store.acquireLease(...args),
    releaseLease: (...args) => store.releaseLease(...args),
    leaseHolder: (...args) => store.leaseHolder(...args),
    forgetLeases: (...args) => store.forgetLeases(...args),
    now: () => store.now(),
    cursor: (...args) => store.cursor(...args),
    moveCursor: (...args) => store.moveCursor(...args),
    readMeta: (...args) => store.readMeta(...args),
    writeMeta: (...args) => store.writeMeta(...args),
    whenChecked: async () => store.whenChecked?.(),
  };
}
