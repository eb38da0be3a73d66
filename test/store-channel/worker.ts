import { type CrashWork, workUntilKilled } from '@svc/sdk/testing';
import { ChannelStore } from '../../host/src/store-channel/channel-store.ts';
import { processChannel } from './channels.ts';

/** Works over its IPC, in the way named by its argument, until it is killed or the process that holds the folder is gone. */
const [, , work] = process.argv;
workUntilKilled(new ChannelStore(processChannel(process)), work as CrashWork).catch(() => process.exit(1));
