import type { buildApp } from '../../adapters/http/server/app.js';
import type { MemoryBudget } from '../../adapters/http/server/memory/memory-budget.js';
import type { RateLimits } from '../../adapters/http/server/rate-limit.js';
import type { Exposition } from '../../adapters/metrics/exposition.js';
import type { Meters } from '../../adapters/metrics/meters.js';
import type { Ports } from '../../application/assembly.js';
import type { UseCases } from '../../application/use-cases.js';

/** The objects in the container, by name. */
export interface Provided extends Ports {
  readonly meters: Meters;
  readonly exposition: Exposition;
  readonly useCases: UseCases;
  readonly rates: RateLimits;
  readonly memory: MemoryBudget;
  readonly app: ReturnType<typeof buildApp>;
}
