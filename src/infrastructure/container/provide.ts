import type { Bind, Container } from 'inversify';
import type { Provided } from './provided.js';

export type Name = keyof Provided;
type Given<Names extends readonly Name[]> = { [Index in keyof Names]: Provided[Names[Index]] };

/** Binds a name to what `make` builds from what other names are bound to. */
export function provide<To extends Name, const Names extends readonly Name[]>(
  bind: Bind,
  name: To,
  from: Names,
  make: (...given: Given<Names>) => Provided[To],
) {
  return bind<Provided[To]>(name).toResolvedValue(make as never, from as never);
}

/** What a name is bound to. Called where the service is put together, and nowhere else. */
export const resolve = <Wanted extends Name>(container: Container, name: Wanted): Provided[Wanted] =>
  container.get<Provided[Wanted]>(name);
