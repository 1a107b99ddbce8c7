import type { Schemas } from '../../api/client.ts';

export type StateVersion = Schemas['client.StateVersion'];

/** The name of a state for people; a rollback repeats the number of another. */
export const titleOf = ({ attributes }: StateVersion): string => `State ${attributes.serial}`;
