import { Container } from 'inversify';
import type { Dependencies } from './dependencies.js';
import { http } from './http.js';
import { metrics } from './metrics.js';
import { storage } from './storage.js';
import { system } from './system.js';
import { useCases } from './use-cases.js';

/** The service's objects, each built once, with the first that needs it. */
export function buildContainer(dependencies: Dependencies): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(system(dependencies), storage(dependencies), metrics(dependencies), useCases, http(dependencies));
  return container;
}
