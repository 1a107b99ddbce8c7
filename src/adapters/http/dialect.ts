/** The names one kind of resource goes by in a request's `type`. */
export interface TypeName {
  readonly singular: string;
  readonly plural: string;
  /** Whether the contract demands it in a request. */
  readonly required?: boolean;
}

/**
 * The handful of words in which the specification's contract and the clients of this API family differ. Use cases know
 * neither; nothing outside this value asks which one is served.
 */
export interface Dialect {
  readonly name: 'contract' | 'client';
  /** Where it is mounted, and so how its links begin. */
  readonly prefix: string;
  readonly configurationVersionType: string;
  /** The words taken as a request's `type`, its own first; `undefined` among them stands for a missing one. */
  readonly acceptedTypes: (type: TypeName) => readonly (string | undefined)[];
}

export const contract: Dialect = {
  name: 'contract',
  prefix: '',
  configurationVersionType: 'configuration-version',
  acceptedTypes: ({ singular, plural, required }) => {
    const type = singular === 'configuration-version' ? singular : plural;
    return required ? [type] : [type, undefined];
  },
};

export const client: Dialect = {
  name: 'client',
  prefix: '/api/v2',
  configurationVersionType: 'configuration-versions',
  acceptedTypes: ({ singular, plural }) => [plural, singular, '', undefined],
};

export const dialects: readonly Dialect[] = [contract, client];
