import { join } from 'node:path';
import { startAegis } from './aegis.ts';
import { startBifrost } from './bifrost.ts';
import { gatewayOfWorkers, gatewaysOverPostgres, governedGateway, plainGateways, unrecordedGateway } from './gateways.ts';
import { startGuardedLitellm, startLitellm } from './litellm.ts';
import type { TargetName } from './options.ts';
import { startGuardedPortkey, startPortkey } from './portkey.ts';
import { freePort } from './processes.ts';
import { PROTOCOLS } from './protocols.ts';
import type { Scene, Target } from './target.ts';

/** How to start targets, in the order of the tables. Some starts make several targets. */
const STARTS: readonly [readonly TargetName[], (scene: Scene, names: readonly TargetName[]) => Promise<Target | Target[]>][] = [
  [['bare'], startBare],
  [['gateway', 'guarded', 'masked'], plainGateways],
  [['gateway-2', 'guarded-2'], gatewayOfWorkers],
  [['unrecorded'], unrecordedGateway],
  [['postgres', 'postgres-2', 'workers-2'], (scene, names) => gatewaysOverPostgres(names, scene)],
  [['governed'], governedGateway],
  [['portkey'], startPortkey],
  [['portkey-guarded'], startGuardedPortkey],
  [['litellm'], startLitellm],
  [['litellm-guarded'], startGuardedLitellm],
  [['aegis'], startAegis],
  [['bifrost'], startBifrost],
];

export async function startTargets(names: readonly TargetName[], scene: Scene): Promise<Target[]> {
  const targets: Target[] = [];
  for (const [started, start] of STARTS) {
    if (!started.some((name) => names.includes(name))) continue;
    targets.push(...[await start(scene, names)].flat().filter(({ name }) => names.includes(name)));
  }
  return targets;
}

async function startBare({ processes, upstream }: Scene): Promise<Target> {
  const port = await freePort();
  const args = [join(import.meta.dirname, 'pass-through.ts'), String(port), String(upstream)];
  const { pid } = await processes.serve('measured', 'bare', port, args);
  return {
    name: 'bare',
    protocols: PROTOCOLS,
    instances: [{ port, pid }],
    headers: () => ({ authorization: 'Bearer key' }),
    model: (model) => model,
    records: null,
  };
}
