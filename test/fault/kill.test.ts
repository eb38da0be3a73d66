import { describe } from 'vitest';
import { killServer, killWorker, testKill, WORKERS } from './kill-scene.ts';

const KILLS = [
  { what: 'one process', server: {}, scene: killServer(32, 4), short: 2, long: 1000 },
  { what: 'two workers and their primary', server: { workers: WORKERS }, scene: killServer(20, 0), short: 1, long: 1000 },
  { what: 'one of two workers', server: { workers: WORKERS }, scene: killWorker, short: 1, long: 100 },
];

describe.each(KILLS)('$what', testKill);
