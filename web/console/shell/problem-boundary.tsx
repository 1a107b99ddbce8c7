import { QueryErrorResetBoundary } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';
import { isLost } from '../api/connection.ts';
import { Problem } from '../api/problem.ts';
import { Button } from '../parts/button.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { NotFound, Page } from './page.tsx';

interface Props {
  /** The caught problem is forgotten when this changes. */
  readonly resetKey: string;
  readonly onReset: () => void;
  readonly children: ReactNode;
}

class Boundary extends Component<Props, { readonly error?: unknown }> {
  override state: { readonly error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(before: Props): void {
    if (before.resetKey !== this.props.resetKey && this.state.error !== undefined) this.forget();
  }

  private readonly forget = (): void => {
    this.props.onReset();
    this.setState({ error: undefined });
  };

  override render(): ReactNode {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    if (error instanceof Problem && error.status === 404) {
      return (
        <Page title="Not found">
          <NotFound />
        </Page>
      );
    }
    return (
      <Page title="This page could not be shown">
        <ProblemView problem={error} />
        <Button onPress={this.forget}>Try again</Button>
      </Page>
    );
  }
}

/** Shows what a page could not load instead of the page, and tries again once the service is back. */
export function ProblemBoundary({ resetKey, children }: Omit<Props, 'onReset'>) {
  const isAway = isLost.useValue();
  return (
    <QueryErrorResetBoundary>
      {({ reset }) => (
        <Boundary resetKey={`${resetKey} ${isAway}`} onReset={reset}>
          {children}
        </Boundary>
      )}
    </QueryErrorResetBoundary>
  );
}
