import { type ErrorCode, type EventData, type RequestedState, SvcError } from '@svc/contracts';

type StopCode = EventData<'stopped'>['code'];

const TOLD = {
  route_disabled: { code: 'SVC-OPS-001', what: 'this route' },
  provider_disabled: { code: 'SVC-OPS-001', what: 'the model provider of this route' },
  principal_disabled: { code: 'SVC-OPS-002', what: 'this principal' },
} as const satisfies Record<StopCode, { code: ErrorCode; what: string }>;

/** Why an operator's change ends a run, or refuses one: what it goes through, or whose it is, is disabled. */
export class OperatorStop {
  readonly kind = 'stopped';
  readonly code: StopCode;
  /** `seq` of the change in the operations log. */
  readonly operation: number;

  constructor(code: StopCode, { seq }: RequestedState) {
    this.code = code;
    this.operation = seq;
  }

  /** What the caller is told; nothing of the operator or the reason. */
  get error(): SvcError {
    const { code, what } = TOLD[this.code];
    return new SvcError(code, `an operator has disabled ${what}`);
  }
}
