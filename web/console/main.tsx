import '../pages.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/frame.css';
import './styles/parts.css';
import './styles/fields.css';
import './styles/row-menu.css';
import './styles/access.css';
import './styles/log.css';
import './styles/outcomes.css';
import './styles/secret.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Problem } from './api/problem.ts';
import { queries } from './api/reading.ts';
import { Console } from './console.tsx';
import { beginTheme } from './parts/theme.ts';

beginTheme();
const root = document.getElementById('console');
if (root === null) throw new Error('index.html has an element #console');
// A problem of a request is shown on the page; anything else is a mistake in the console.
const onCaughtError = (error: unknown): void => {
  if (!(error instanceof Problem)) reportError(error);
};
createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <Console />
    </QueryClientProvider>
  </StrictMode>,
);
