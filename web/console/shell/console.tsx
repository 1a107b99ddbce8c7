import { Suspense, useEffect } from 'react';
import { I18nProvider, RouterProvider } from 'react-aria-components';
import { Route, Switch, useLocation } from 'wouter';
import { queries } from '../api/reading.ts';
import { session, useSignedIn } from '../api/session.ts';
import { Announcements } from '../parts/announce.tsx';
import { routes } from '../routes.ts';
import { Header } from './header.tsx';
import { Loading, NotFound, Page } from './page.tsx';
import { ProblemBoundary } from './problem-boundary.tsx';
import { SignIn } from './sign-in.tsx';

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

/** Signing in keeps the address, so the page that needed it is shown next. */
export function Console() {
  const signedIn = useSignedIn();
  const [, navigate] = useLocation();
  useEffect(() => {
    if (signedIn === 'unknown') void session.begin();
    if (signedIn === 'no') queries.clear();
  }, [signedIn]);
  return (
    <I18nProvider locale={navigator.language}>
      <RouterProvider navigate={(path) => navigate(path)}>
        <a className="skip" href="#main">
          Skip to content
        </a>
        <Header />
        <main id="main" tabIndex={-1}>
          {signedIn === 'unknown' ? <Loading /> : signedIn === 'no' ? <SignIn /> : <Pages />}
        </main>
        <Announcements />
      </RouterProvider>
    </I18nProvider>
  );
}
