import type { GuardDeps } from '@svc/contracts';

/** Records which RAG namespaces each guard opens while it is created. */
export class OpenedNamespaces {
  readonly #of = new Map<string, Set<string>>();

  /** The dependencies of a guard that is about to be created. If there are several attempts, only the last one counts. */
  watching(name: string, deps: GuardDeps): GuardDeps {
    const opened = new Set<string>();
    this.#of.set(name, opened);
    const openNamespace: GuardDeps['openNamespace'] = (namespace) => {
      if (this.#of.get(name) !== opened) throw new Error('openNamespace() must be called in create(), not later');
      opened.add(namespace);
      return deps.openNamespace(namespace);
    };
    return { ...deps, openNamespace };
  }

  /** The namespaces that the guard opened. From now on, the guard cannot open more. */
  take(name: string): readonly string[] {
    const opened = this.#of.get(name) ?? [];
    this.#of.delete(name);
    return [...opened];
  }
}
