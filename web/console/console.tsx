import { Fragment, Suspense, useEffect } from 'react';
import { I18nProvider, RouterProvider } from 'react-aria-components';
import { Route, Switch, useLocation } from 'wouter';
import { lastRead, queries } from './api/reading.ts';
import { session, signedIn, visit } from './api/session.ts';
import { Announcements } from './parts/announce.tsx';
import { settling } from './parts/settled.ts';
import { routes } from './routes.ts';
import { ConnectionNotice } from './shell/connection-notice.tsx';
import { Header } from './shell/header.tsx';
import { Loading, NotFound, Page } from './shell/page.tsx';
import { ProblemBoundary } from './shell/problem-boundary.tsx';
import { SignIn, SignInAgain } from './shell/sign-in.tsx';

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

/** Signing in keeps the address, so the page that needed it is shown next. */
export function Console() {
  const how = signedIn.useValue();
  const [, navigate] = useLocation();
  useEffect(() => {
    if (how === 'unknown') void session.begin();
    if (how === 'no') queries.clear();
    // Only a known user can go on.
    if (how === 'expired' && lastRead('/account/details') === undefined) void session.end();
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
          <main id="main" tabIndex={-1}>
            {how === 'unknown' ? <Loading /> : how === 'no' ? <SignIn /> : <Pages />}
          </main>
        </Fragment>
        {how === 'expired' && <SignInAgain />}
        <Settling />
        <Announcements />
      </RouterProvider>
    </I18nProvider>
  );
}
