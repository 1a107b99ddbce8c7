import { type FormEvent, type ReactNode, useState } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { Problem } from '../api/problem.ts';
import { type Credentials, linkCode, providerAddress, session, signInReason } from '../api/session.ts';
import { Button, SubmitButton } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { Page } from './page.tsx';

/** Leaves the address of sign-in links, which has no page for those who are signed in. */
function useLeaving(): () => void {
  const [location, navigate] = useLocation();
  return () => {
    linkCode.set(undefined);
    if (location === addresses.signIn) navigate(addresses.organizations, { replace: true });
  };
}

export const SignIn = () => (
  <Page title="Sign in">
    <Means />
  </Page>
);

/** The last part of the code, which covers it: with another name, the service does not know the code. */
const usernameIn = (code: string): string => code.slice(code.lastIndexOf('~') + 1).slice(0, 60);

/** Nothing but the click uses the link up: programs that preview links do not. */
export function SignInByLink({ code }: { readonly code: string }) {
  const username = usernameIn(code);
  const leave = useLeaving();
  return (
    <Page title="Sign in">
      <SignInForm
        submit={`Sign in as ${username}`}
        credentialsIn={() => ({ code })}
        before={leave}
        refused="The link was used or replaced, or has expired. Ask the operator of this service for another one."
      >
        <p>
          This link signs you in as <strong>{username}</strong>, once. It ends the session that this browser has.
        </p>
      </SignInForm>
    </Page>
  );
}

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
  const { title, sentence, leave } = reasons[signInReason.get()];
  return (
    <ModalOverlay isOpen isKeyboardDismissDisabled className="overlay ended">
      <Modal className="modal">
        <Dialog className="dialog">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          <p>{sentence} Your entries are kept.</p>
          <Means isOtherTab />
          {leave}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** With the identity provider where there is one, and with a token elsewhere. */
function Means({ isOtherTab = false }: { readonly isOtherTab?: boolean }) {
  const leave = useLeaving();
  const address = providerAddress();
  if (address !== undefined) {
    return (
      <p>
        <a className="button button-main" href={address} {...(isOtherTab && { target: '_blank' })}>
          Sign in with your organization
        </a>
        {isOtherTab && <span className="quiet"> It opens a new tab. Then come back to this one.</span>}
      </p>
    );
  }
  return (
    <SignInForm
      submit="Sign in"
      credentialsIn={(entered) => ({ token: String(entered.get('token') ?? '').trim() })}
      before={leave}
    >
      <Field
        label="API token"
        name="token"
        type="password"
        autoComplete="off"
        isRequired
        description="A user token. It signs you in, in all tabs of this browser, and is not kept."
      />
      <p className="quiet">
        If you do not have a token, ask the operator of this service, who runs{' '}
        <code>gatehouse sign-in-link --user NAME</code>.
      </p>
    </SignInForm>
  );
}

interface SignInFormProps {
  readonly submit: string;
  readonly credentialsIn: (entered: FormData) => Credentials;
  readonly before: () => void;
  /** The sentence for credentials that the service does not take, in place of the one for tokens. */
  readonly refused?: string;
  readonly children: ReactNode;
}

function SignInForm({ submit, credentialsIn, before, refused, children }: SignInFormProps) {
  const [problem, setProblem] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const onSubmit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    if (isPending) return;
    setPending(true);
    try {
      await session.signIn(credentialsIn(new FormData(event.currentTarget)), before);
    } catch (error) {
      setProblem(error);
    }
    setPending(false);
  };
  const isRefused = refused !== undefined && problem instanceof Problem && problem.status === 401;
  return (
    <form className="card narrow" onSubmit={onSubmit}>
      {children}
      {isRefused ? <p role="alert">{refused}</p> : problem !== undefined && <ProblemView problem={problem} />}
      <SubmitButton isPending={isPending}>{submit}</SubmitButton>
    </form>
  );
}
