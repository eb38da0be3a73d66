import { type ErrorCode, type EventData, type RequestedState, SvcError } from '@svc/contracts';

type StopCode = EventData<'stopped'>['code'];

const DISABLED = {
  route_disabled: { code: 'SVC-OPS-001', what: 'this route' },
  provider_disabled: { code: 'SVC-OPS-001', what: 'the model provider of this route' },
  principal_disabled: { code: 'SVC-OPS-002', what: 'this principal' },
} as const satisfies Record<StopCode, { code: ErrorCode; what: string }>;

/** Why a run is ended or refused: an operator disabled its route, provider, guard or principal. */
export class OperatorStop {
  readonly kind = 'stopped';
  readonly code: StopCode;
  /** `seq` of the change in the operations log. */
  readonly operation: number;

  constructor(code: StopCode, { seq }: RequestedState) {
    this.code = code;
    this.operation = seq;
  }

  /** The message for the caller. It reveals neither the operator nor the reason. */
  get error(): SvcError {
    const { code, what } = DISABLED[this.code];
    return new SvcError(code, `an operator has disabled ${what}`);
  }
}
