import type { Bind, Container } from 'inversify';
import type { Provided } from './provided.js';

export type Name = keyof Provided;
type Given<Names extends readonly Name[]> = { [Index in keyof Names]: Provided[Names[Index]] };

/** Binds a name to the result of `make`, which receives the objects bound to other names. */
export function provide<To extends Name, const Names extends readonly Name[]>(
  bind: Bind,
  name: To,
  from: Names,
  make: (...given: Given<Names>) => Provided[To],
) {
  return bind<Provided[To]>(name).toResolvedValue(make as never, from as never);
}

/** The object bound to a name. Called only where the service is assembled. */
export const resolve = <Wanted extends Name>(container: Container, name: Wanted): Provided[Wanted] =>
  container.get<Provided[Wanted]>(name);
