import { type GuardDiagnostic, type LintedRoute, STAGES } from '@svc/sdk/guard';

/** With the guard in one stage only, offers or calls would pass unjudged. The RAG index has neither answers nor tools. */
export function routeFaults({ stages, endpoints }: LintedRoute): GuardDiagnostic[] {
  if (endpoints.length === 0) return [];
  return STAGES.filter((stage) => !stages.includes(stage)).map((missing) => ({
    code: 'SVC-POL-003',
    message: `this guard must be in both stages: add it to ${missing}`,
  }));
}
