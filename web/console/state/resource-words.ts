/** A resource as the service shows it with its state. */
export interface Resource {
  readonly name: string;
  readonly type: string;
  readonly module: string;
  readonly provider: string;
}

/** As in a configuration: without the brackets of the state file, and without the registry if it is the usual one. */
export const providerName = (provider: string): string =>
  (/\["([^"]+)"\]/.exec(provider)?.[1] ?? provider).replace(/^registry\.terraform\.io\//, '');

const textOf = ({ module, type, name, provider }: Resource): string =>
  `${module} ${type}.${name} ${providerName(provider)}`.toLowerCase();

/** The resources that contain every word of the search, in any case and order. */
export function matching<R extends Resource>(resources: readonly R[], search: string): readonly R[] {
  const words = search.toLowerCase().split(/\s+/);
  return resources.filter((resource) => words.every((word) => textOf(resource).includes(word)));
}
