import {
  type keepPreviousData,
  QueryClient,
  type UseQueryOptions,
  type UseQueryResult,
  useQueries,
  useQuery,
  useSuspenseQuery,
} from '@tanstack/react-query';
import { type Answered, type CallOptions, type Readable, request, textAt } from './client.ts';
import { isPassing } from './problem.ts';

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < 2 && isPassing(error),
      // Otherwise the library would wait without a word while the browser believes that it is offline.
      networkMode: 'always',
    },
    // A change must not be sent later, when the person has gone on to something else.
    mutations: { networkMode: 'always' },
  },
});

interface More {
  readonly enabled?: boolean;
  /** In milliseconds. */
  readonly refetchInterval?: number;
  /** Keeps the last response while the read with other parameters is on its way. */
  readonly placeholderData?: typeof keepPreviousData;
}

/** The key of a read: the path template, then its parameters. A change invalidates all reads of a template at once. */
const reading = <P extends Readable>(path: P, options: object = {}) => ({
  queryKey: [path, options],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    request('get', path, { ...options, signal }) as Promise<Answered<'get', P>>,
});

/** Reads from the service; the page waits for it, and an error boundary shows a problem. */
export const useRead = <P extends Readable>(path: P, ...options: CallOptions<'get', P>): Answered<'get', P> =>
  useSuspenseQuery(reading(path, options[0])).data;

/** The same, read again after `refetchInterval` milliseconds. */
export const usePolled = <P extends Readable>(
  path: P,
  options: CallOptions<'get', P>[0],
  refetchInterval: number,
): Answered<'get', P> => useSuspenseQuery({ ...reading(path, options), refetchInterval }).data;

/** The same for a part of a page that shows its own progress and problems, or that need not be read. */
export const useMaybeRead = <P extends Readable>(path: P, options: CallOptions<'get', P>[0], more: More = {}) =>
  useQuery({ ...reading(path, options), ...more });

/** The same for several resources, such as those that a relationship names without including them. */
export const useMaybeReadEach = <P extends Readable>(
  path: P,
  each: readonly object[],
  more: More = {},
): readonly UseQueryResult<Answered<'get', P>>[] =>
  useQueries({
    queries: each.map((options) => ({ ...reading(path, options), ...more }) as UseQueryOptions),
  }) as UseQueryResult<Answered<'get', P>>[];

/** Reads a document that is not JSON:API. `key` tells apart what may have different addresses. */
export const useText = (path: string, key: string = path): string =>
  useSuspenseQuery({ queryKey: ['text', key], queryFn: ({ signal }) => textAt(path, signal) }).data;

/** After a deletion, once its page is left: Back must not show what is gone. */
export const forget = (path: Readable): void => queries.removeQueries({ queryKey: [path] });

/** After a change: all reads of these templates are outdated. Those that no page shows are dropped, so that none flashes up. */
export const outdated = async (...paths: readonly Readable[]): Promise<void> => {
  for (const path of paths) queries.removeQueries({ queryKey: [path], type: 'inactive' });
  await Promise.all(paths.map((path) => queries.invalidateQueries({ queryKey: [path] })));
};
