import type { Schemas } from '../../api/client.ts';

export type StateVersion = Schemas['client.StateVersion'];

/** What the number of a state is called. */
export const titleOf = ({ attributes }: StateVersion): string => `State ${attributes.serial}`;
