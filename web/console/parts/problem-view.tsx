import { Problem } from '../api/problem.ts';

/** A problem in the words of the service; an unexpected one with the id that the operator finds in the log. */
export const ProblemView = ({ problem }: { readonly problem: unknown }) => (
  <div className="problem" role="alert">
    <p>{problem instanceof Error ? problem.message : String(problem)}</p>
    {problem instanceof Problem && problem.status >= 500 && problem.requestId !== undefined && (
      <p className="quiet">
        Request <code>{problem.requestId}</code>
      </p>
    )}
  </div>
);
