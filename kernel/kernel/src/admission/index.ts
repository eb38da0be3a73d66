export { type ByteReservation, BytesInFlight } from './bytes-in-flight.ts';
export { PauseClaim } from './pause-claim.ts';
export { newRunId } from './run-id.ts';
export { cancellation, stopping, tooManyPaused } from './stopping.ts';
