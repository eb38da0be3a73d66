import type { TestGateway } from './gateway.ts';

/** Waits until a run of the route is paused, and decides on it. Waits for the server's answer, not for a clock. */
export async function decideOnNext(
  gateway: TestGateway,
  route: string,
  decision: 'approved' | 'denied',
  principal = 'bob',
  reason?: string,
): Promise<string> {
  for (;;) {
    const { body } = await gateway.get(`/v1/audit?status=paused&route=${route}&limit=1`);
    const run_id = body.runs[0]?.run_id;
    if (run_id === undefined) continue;
    await gateway.post(`/v1/runs/${run_id}/resume`, { decision, ...(reason === undefined ? {} : { reason }) }, principal);
    return run_id;
  }
}
