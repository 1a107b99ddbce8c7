import { useMutation } from '@tanstack/react-query';
import type { Readable } from '../api/client.ts';
import { outdated } from '../api/reading.ts';
import { announce } from './announce.tsx';

interface After<Result, Input> {
  /** The sentence that is shown once it is done. */
  readonly done?: string | ((result: Result, input: Input) => string);
  /** Templates whose reads the change makes outdated. */
  readonly outdates?: readonly Readable[];
}

/** A change: `run(input)` resolves once the page can show it, and rejects with the problem, which `problem` also holds. */
export function useChange<Input, Result>(change: (input: Input) => Promise<Result>, after: After<Result, Input> = {}) {
  const mutation = useMutation({
    mutationFn: change,
    onSuccess: async (result, input) => {
      await outdated(...(after.outdates ?? []));
      const { done } = after;
      if (done !== undefined) announce(typeof done === 'string' ? done : done(result, input));
    },
  });
  return {
    run: mutation.mutateAsync,
    isPending: mutation.isPending,
    problem: mutation.error ?? undefined,
    result: mutation.data,
    reset: mutation.reset,
  };
}
