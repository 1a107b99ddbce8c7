import { ContainerModule } from 'inversify';
import { assemble } from '../../application/assembly.js';
import { useCases as table } from '../../application/use-cases.js';
import type { Provided } from './provided.js';

export const useCases = new ContainerModule(({ bind }) => {
  bind<Provided['useCases']>('useCases').toDynamicValue((context) => assemble(table, (name) => context.get(name)));
});
