export { GuardPool } from './guard-pool.ts';
export { type GuardWorkers, NO_WORKERS, WorkersBusy } from './guard-workers.ts';
