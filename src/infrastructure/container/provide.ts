import type { Bind, Container, Newable } from 'inversify';

/** A port's name at run time, carrying the port's type at compile time. */
export type Token<Service> = symbol & { readonly service?: Service };
export const token = <Service>(name: string): Token<Service> => Symbol(name) as Token<Service>;

export type Key<Service> = Token<Service> | Newable<Service>;
type Keys<Dependencies extends readonly unknown[]> = readonly [
  ...{ [Index in keyof Dependencies]: Key<Dependencies[Index]> },
];

/** Binds `key` to what `make` builds from `dependencies`; the compiler checks each of them against the factory. */
export function provide<Service, Dependencies extends readonly unknown[]>(
  bind: Bind,
  key: Key<Service>,
  dependencies: Keys<Dependencies>,
  make: (...dependencies: Dependencies) => Service,
) {
  return bind<Service>(key as symbol).toResolvedValue(make as never, dependencies as never);
}

/** Binds a class to itself; the compiler checks each dependency against its constructor. */
export function provideClass<Service, Dependencies extends readonly unknown[]>(
  bind: Bind,
  Class: new (...dependencies: Dependencies) => Service,
  dependencies: Keys<Dependencies>,
) {
  return provide(bind, Class as Newable<Service>, dependencies, (...given: Dependencies) => new Class(...given));
}

/** What `key` is bound to. Called where the service is put together, and nowhere else. */
export const resolve = <Service>(container: Container, key: Key<Service>): Service =>
  container.get<Service>(key as symbol);
