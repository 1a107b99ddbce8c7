import { type FormEvent, useEffect, useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { noResponse, problemOf } from '../api/problem.ts';
import { lastRead, queries } from '../api/reading.ts';
import { providerAddress, session, signInReason } from '../api/session.ts';
import { Button, SubmitButton } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { Page } from './page.tsx';

/** Throws `Problem` if the service does not take the token. */
async function check(token: string): Promise<void> {
  const headers = session.headers(token);
  const response = await fetch('/api/v2/organizations?page%5Bsize%5D=1', { headers }).catch(() => {
    throw noResponse('read');
  });
  if (!response.ok) throw await problemOf(response);
}

/** The id of the user who signs in; teams and organizations have none. */
async function accountOf(token?: string): Promise<string | undefined> {
  const response = await fetch('/api/v2/account/details', { headers: session.headers(token) });
  return response.ok ? ((await response.json()) as { data: { id: string } }).data.id : undefined;
}

/** Whether the credentials are those of the person whose session has ended. */
const isSamePerson = async (token?: string): Promise<boolean> => {
  const before = lastRead('/account/details')?.data.id;
  return before !== undefined && before === (await accountOf(token));
};

const goOn = (token?: string): void => {
  session.signIn(token);
  void queries.invalidateQueries();
};

/** The same person goes on; the entries of one person are not shown to another. */
async function take(token: string): Promise<void> {
  if (await isSamePerson(token)) return goOn(token);
  await session.end();
  queries.clear();
  session.signIn(token);
}

/** After a sign-in in another tab, which may be that of another person. */
const lookAgain = async (): Promise<void> => {
  if (await isSamePerson().catch(() => false)) goOn();
};

export const SignIn = () => (
  <Page title="Sign in">
    <Provider />
    <TokenForm take={(token) => session.signIn(token)} />
  </Page>
);

const reasons = {
  ended: {
    title: 'Your session has ended',
    sentence: 'Sign in again to go on where you were.',
    leave: <Button onPress={() => void session.signOut()}>Discard and sign out</Button>,
  },
  'too-old': {
    title: 'Sign in again',
    sentence: 'A session issues tokens only within 15 minutes after you signed in.',
    leave: <Button onPress={() => session.keep()}>Cancel</Button>,
  },
} as const;

/** Stands above the pages, which keep what was entered, until the person has signed in again. */
export function SignInAgain() {
  useEffect(() => session.whenBegunElsewhere(() => void lookAgain()), []);
  const { title, sentence, leave } = reasons[signInReason.get()];
  return (
    <ModalOverlay isOpen isKeyboardDismissDisabled className="overlay ended">
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <p>{sentence} Your entries are kept.</p>
          <Provider isOtherTab />
          <TokenForm take={take} />
          {leave}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function Provider({ isOtherTab = false }: { readonly isOtherTab?: boolean }) {
  const address = providerAddress();
  if (address === undefined) return null;
  return (
    <p>
      <a className="button button-main" href={address} {...(isOtherTab && { target: '_blank' })}>
        Sign in with your organization
      </a>
      {isOtherTab && <span className="quiet"> It opens a new tab. Then come back to this one.</span>}
    </p>
  );
}

function TokenForm({ take }: { readonly take: (token: string) => unknown }) {
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isPending) return;
    const token = String(new FormData(event.currentTarget).get('token') ?? '').trim();
    setPending(true);
    try {
      await check(token);
      await take(token);
    } catch (error) {
      setProblem(error);
      setPending(false);
    }
  };
  return (
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
  );
}
