import 'reflect-metadata';
import { Container } from 'inversify';
import { http } from './http.js';
import { metrics } from './metrics.js';
import { storage } from './storage.js';
import type { Surroundings } from './surroundings.js';
import { system } from './system.js';
import { useCases } from './use-cases.js';

/** The service's objects, each built once, on first use. */
export function buildContainer(surroundings: Surroundings): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.load(system(surroundings), storage(surroundings), metrics(surroundings), useCases, http(surroundings));
  return container;
}
