import { type Guard, isObject } from '@svc/contracts';

/** Whether a value has the shape of a guard. Checks every method: otherwise a missing one would fail only after a model call was paid. */
export function isGuard(value: unknown): value is Guard {
  if (!isObject(value)) return false;
  const { stages, verdicts, check, stream, reservations, lint, dependencies } = value;
  return (
    Array.isArray(stages) &&
    Array.isArray(verdicts) &&
    isMethod(check) &&
    (stream === undefined ||
      (isObject(stream) && ['window', 'post'].includes(String(stream.capability)) && isMethod(stream.open))) &&
    (reservations === undefined ||
      (isObject(reservations) && isMethod(reservations.revalidate) && isMethod(reservations.settle))) &&
    (lint === undefined || isMethod(lint)) &&
    (dependencies === undefined || (Array.isArray(dependencies) && [...dependencies].every(isDependency)))
  );
}

function isDependency(value: unknown): boolean {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,300}$/u.test(value);
}

function isMethod(value: unknown): boolean {
  return typeof value === 'function';
}
