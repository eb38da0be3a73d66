import 'reflect-metadata/lite';
import { type DependencyContainer, type InjectionToken, instanceCachingFactory, container as root } from 'tsyringe';

/** What one server is made of. Each part is made when it is first asked for, and once. */
export type Container = DependencyContainer;

/** The name of a part in the container, with the part's type. */
export type Token<T> = InjectionToken<T>;

export function token<T>(name: string): Token<T> {
  return Symbol(name);
}

export function newContainer(): Container {
  return root.createChildContainer();
}

/**
 * Registers how a part is made. A part that takes time is a promise. `null` is no part: it would be made again each time.
 * @throws where the token is registered: the container itself would take the second registration without a word
 */
export function provide<T extends object>(container: Container, part: Token<T>, make: (container: Container) => T): void {
  if (container.isRegistered(part, true)) throw new Error(`${String(part)} is registered twice`);
  container.register(part, { useFactory: instanceCachingFactory(make) });
}
