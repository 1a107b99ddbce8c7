import type { Schemas } from '../api/client.ts';

export type Workspace = Schemas['client.Workspace'];
