import { ContainerModule } from 'inversify';
import type { Binding, Source } from '../../application/assembly.js';
import { useCases as table } from '../../application/use-cases.js';
import type { Provided } from './provided.js';

const nameOf = (source: Source): string => (typeof source === 'string' ? source : source.Class.name);

/** Each row of the table and each object that rows share, by its class's name; and the use cases together. */
export const useCases = new ContainerModule(({ bind }) => {
  const rows = new Set<Binding<unknown>>(Object.values(table));
  for (const { Class, from } of rows) {
    bind(Class.name).toResolvedValue((...given: never[]) => new Class(...given), from.map(nameOf));
    // The loop reaches these too.
    for (const source of from) if (typeof source !== 'string') rows.add(source);
  }
  bind<Provided['useCases']>('useCases').toResolvedValue(
    (...all: unknown[]) =>
      Object.fromEntries(Object.keys(table).map((name, index) => [name, all[index]])) as Provided['useCases'],
    Object.values(table).map(nameOf),
  );
});
