import { type CrashWork, workUntilKilled } from '@svc/sdk/testing';
import { ChannelStore } from '../../host/src/store-channel/channel-store.ts';
import { processChannel } from './channels.ts';

/** Does the work named by its argument over IPC, until it is killed or the process that holds the folder ends. */
const [, , work] = process.argv;
workUntilKilled(new ChannelStore(processChannel(process)), work as CrashWork).catch(() => process.exit(1));
