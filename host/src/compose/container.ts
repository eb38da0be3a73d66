import 'reflect-metadata/lite';
import { type DependencyContainer, type InjectionToken, instanceCachingFactory, container as root } from 'tsyringe';

/** The parts of one server. Each is created once, on first use. */
export type Container = DependencyContainer;

/** The name of a part in the container, with its type. */
export type Token<T> = InjectionToken<T>;

export function token<T>(name: string): Token<T> {
  return Symbol(name);
}

export function newContainer(): Container {
  return root.createChildContainer();
}

/**
 * Registers how a part is created. A part that is created asynchronously is a promise. A part must not be `null`, or it would be created again on
 * each use.
 * @throws if the token is registered already, because the container would silently use the second registration
 */
export function provide<T extends object>(container: Container, part: Token<T>, make: (container: Container) => T): void {
  if (container.isRegistered(part, true)) throw new Error(`${String(part)} is registered twice`);
  container.register(part, { useFactory: instanceCachingFactory(make) });
}
