export { brokenWork } from './broken-work.ts';
export { fakeCallContext } from './call-context.ts';
export { type FakeClock, fakeClock } from './clock.ts';
export { type FakeCounters, fakeCounters } from './counters.ts';
export { fakeGuardContext } from './guard-context.ts';
export { type FakeLogger, fakeLogger, type LogLine } from './logger.ts';
export { type FakePluginDeps, fakePluginDeps } from './plugin-deps.ts';
export { fakeSegments } from './segments.ts';
