import { STAGES, type Stage } from '@svc/contracts';
import type { GuardAnswers } from './ask-guard.ts';
import type { Path } from './diagnostic.ts';
import type { LintContext } from './lint-context.ts';
import type { PackNode } from './packs-section.ts';
import type { Route } from './routes-section.ts';

/** SVC-POL-003: a guard that must be in both stages. A budget, for example, reserves in ingress and settles after egress. */
export function lintBothStages(route: Route, path: Path, { report, packs }: LintContext, answers: GuardAnswers): void {
  const faultOf = (name: string, other: Stage): string | undefined => {
    const answer = answers.get(name);
    if (answer !== undefined) return answer.diagnostics.find(({ code }) => code === 'SVC-POL-003')?.message;
    // If the guard could not be created, the pack's type decides, so that one run of lint reports both errors.
    const isBudget = packs.repaired.has(name) && (packs.repaired.get(name)?.type ?? name) === 'budget';
    return isBudget && !route.pipeline[other].includes(name)
      ? `this guard must be in both stages: add it to ${other}`
      : undefined;
  };
  for (const [stage, other] of [
    ['ingress', 'egress'],
    ['egress', 'ingress'],
  ] as const) {
    for (const [index, name] of route.pipeline[stage].entries()) {
      const fault = faultOf(name, other);
      if (fault !== undefined) report.error('SVC-POL-003', [...path, 'pipeline', stage, index], `${name}: ${fault}`);
    }
  }
}

/** SVC-POL-004: a node in a stage that its guard does not support. */
export function lintOfferedStages(route: Route, path: Path, { report, nodes }: LintContext): void {
  for (const stage of STAGES) {
    for (const [index, name] of route.pipeline[stage].entries()) {
      const node = nodes.get(name);
      if (node === undefined || node.guard.stages.includes(stage)) continue;
      const expected = node.guard.stages.join(' or ');
      report.error('SVC-POL-004', [...path, 'pipeline', stage, index], `${name} (${node.type}) is not allowed in ${stage}`, {
        expected,
      });
    }
  }
}

const mayPause = ({ guard, on_error }: PackNode) =>
  on_error === 'require_approval' || guard.verdicts.includes('require_approval');
const maySanitize = ({ guard }: PackNode) => guard.verdicts.includes('sanitize');

/** Warns if a run may pause before a later node has masked something that an approver need not see. */
export function lintOrder(route: Route, path: Path, { report, nodes }: LintContext): void {
  for (const stage of STAGES) {
    const enforced = route.pipeline[stage].flatMap((name, index) => {
      const node = nodes.get(name);
      return node === undefined || node.mode === 'observe' ? [] : [{ node, index }];
    });
    for (const { node, index } of enforced) {
      const later = enforced.find((other) => other.index > index && maySanitize(other.node));
      if (!mayPause(node) || later === undefined) continue;
      const message = `${node.name} can pause a run before ${later.node.name} masks its text, so approvers would see unmasked text: move ${node.name} after ${later.node.name}`;
      report.warning('SVC-POL-009', [...path, 'pipeline', stage, index], message);
    }
  }
}

/** Warns if a blocking guard checks only new messages: the caller writes the history, and can put there what the guard would block. */
export function lintScope(route: Route, path: Path, { report, nodes }: LintContext): void {
  for (const [index, name] of route.pipeline.ingress.entries()) {
    const node = nodes.get(name);
    if (node === undefined || node.mode === 'observe' || node.scope !== 'new' || !node.guard.verdicts.includes('block')) continue;
    const message = `${name} blocks, but with scope: new it skips everything before the last assistant message, and the caller writes that part, too: use scope: all to check it`;
    report.warning('SVC-POL-009', [...path, 'pipeline', 'ingress', index], message);
  }
}
