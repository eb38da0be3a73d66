import type { Observer } from '@svc/kernel';

/** One observer that notifies several; each may implement a part. */
export function observers(all: readonly Partial<Observer>[]): Observer {
  return {
    status: (...args) => {
      for (const observer of all) observer.status?.(...args);
    },
    settled: (...args) => {
      for (const observer of all) observer.settled?.(...args);
    },
    commit: (...args) => {
      for (const observer of all) observer.commit?.(...args);
    },
    exported: (...args) => {
      for (const observer of all) observer.exported?.(...args);
    },
    rag: (...args) => {
      for (const observer of all) observer.rag?.(...args);
    },
    exportFailed: (...args) => {
      for (const observer of all) observer.exportFailed?.(...args);
    },
  };
}
