import { useMaybeRead } from '../api/reading.ts';

/** The events of the run, oldest first, with their actors and comments. */
export const useRunEvents = (id: string) =>
  useMaybeRead('/runs/{id}/run-events', { path: { id }, query: { include: ['actor', 'comment'] } });
