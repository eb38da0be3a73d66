import { killServer, testKill } from '../fault/kill-scene.ts';

testKill({ server: {}, scene: killServer(32, 4), short: 2, long: 2 });
