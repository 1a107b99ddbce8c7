import { Fragment, Suspense, useEffect } from 'react';
import { I18nProvider, RouterProvider } from 'react-aria-components';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { addresses } from './addresses.ts';
import { queries } from './api/reading.ts';
import { linkCode, type SignedIn, session, signedIn, useIsSignedIn, visit } from './api/session.ts';
import { Announcements } from './parts/announce.tsx';
import { settling } from './parts/settled.ts';
import { routes } from './routes.ts';
import { ConnectionNotice } from './shell/connection-notice.tsx';
import { Header } from './shell/header.tsx';
import { useOrganizationName } from './shell/organization-switcher.tsx';
import { Loading, NotFound, Page } from './shell/page.tsx';
import { ProblemBoundary } from './shell/problem-boundary.tsx';
import { Sidebar } from './shell/sidebar.tsx';
import { SignIn, SignInAgain, SignInByLink } from './shell/sign-in.tsx';

visit.subscribe(() => queries.clear());
signedIn.subscribe(() => {
  if (signedIn.get() === 'yes') void queries.invalidateQueries();
});

function Pages() {
  const [location] = useLocation();
  return (
    <ProblemBoundary resetKey={location}>
      <Suspense fallback={<Loading />}>
        <Switch>
          {routes.map(({ path, Page: Shown }) => (
            <Route key={path} path={path} component={Shown} />
          ))}
          <Route>
            <Page title="Not found">
              <NotFound />
            </Page>
          </Route>
        </Switch>
      </Suspense>
    </ProblemBoundary>
  );
}

/** Says that a list is loading while the last one stays. */
const Settling = () => (
  <div role="status">{settling.useValue() > 0 && <p className="settling">Loading the list…</p>}</div>
);

/** The pages, or what must be done first. */
function Shown({ how }: { readonly how: SignedIn }) {
  const [location] = useLocation();
  const code = linkCode.useValue();
  if (how === 'unknown') return <Loading />;
  if (code !== undefined) return <SignInByLink key={code} code={code} />;
  if (how === 'no') return <SignIn />;
  return location === addresses.signIn ? <Redirect to={addresses.organizations} replace /> : <Pages />;
}

/** Signing in keeps the address, so the page that needed it is shown next. */
export function Console() {
  const how = signedIn.useValue();
  const isSignedIn = useIsSignedIn();
  const organization = useOrganizationName();
  const [, navigate] = useLocation();
  useEffect(() => {
    if (how === 'unknown') void session.begin();
  }, [how]);
  return (
    <I18nProvider locale={navigator.language}>
      <RouterProvider navigate={(path) => navigate(path)}>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <Fragment key={visit.useValue()}>
          <Header />
          <ConnectionNotice />
          <div className="frame">
            {organization !== undefined && isSignedIn && <Sidebar organization={organization} />}
            <main id="main" tabIndex={-1}>
              <Shown how={how} />
            </main>
          </div>
        </Fragment>
        {how === 'expired' && <SignInAgain />}
        <Settling />
        <Announcements />
      </RouterProvider>
    </I18nProvider>
  );
}
