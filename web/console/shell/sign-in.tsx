import { type FormEvent, useState } from 'react';
import { Problem, problemOf } from '../api/problem.ts';
import { providerAddress, session } from '../api/session.ts';
import { SubmitButton } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { Page } from './page.tsx';

/** Throws `Problem` if the service does not take the token. */
async function check(token: string): Promise<void> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch('/api/v2/organizations?page%5Bsize%5D=1', { headers }).catch(() => {
    throw new Problem(0);
  });
  if (!response.ok) throw await problemOf(response);
}

export function SignIn() {
  const [problem, setProblem] = useState<unknown>();
  const provider = providerAddress();
  const [isPending, setPending] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get('token') ?? '').trim();
    setPending(true);
    try {
      await check(token);
      session.signIn(token);
    } catch (error) {
      setProblem(error);
      setPending(false);
    }
  };
  return (
    <Page title="Sign in">
      {provider !== undefined && (
        <p>
          <a className="button button-main" href={provider}>
            Sign in with your organization
          </a>
        </p>
      )}
      <form className="card narrow" onSubmit={submit}>
        <Field
          label="API token"
          name="token"
          type="password"
          autoComplete="off"
          isRequired
          description="A user, team or organization token. This tab keeps it until you sign out or close the tab."
        />
        {problem !== undefined && <ProblemView problem={problem} />}
        <SubmitButton isPending={isPending}>Sign in</SubmitButton>
        <p className="quiet">
          If you do not have a token, ask the operator of this service, who runs{' '}
          <code>gatehouse token issue --user NAME</code>.
        </p>
      </form>
    </Page>
  );
}
