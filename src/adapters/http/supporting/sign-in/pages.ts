import type { Exchange, Headers } from '../../routing/exchange.js';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as HTML. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? letter);

interface Page {
  readonly title: string;
  /** Markup: texts in it are escaped. */
  readonly body: string;
  /** The origins that its form leads to, which include those of redirects; undefined without a form. */
  readonly formLeadsTo?: string;
  /** The URL that the browser goes on to at once. */
  readonly next?: string;
}

/** Nothing runs on these pages, and nothing is loaded but the style sheet and the icon. */
const policyFor = (formLeadsTo = "'none'"): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    `form-action ${formLeadsTo}`,
    "frame-ancestors 'none'",
  ].join('; ');

/** Answers a person's browser with a small page. */
export function answerPage(
  exchange: Exchange,
  publicUrl: string,
  status: number,
  { title, body, formLeadsTo, next }: Page,
  headers: Headers = {},
): void {
  const html = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    ${next === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escaped(next)}">`}
    <title>${escaped(title)} – Gatehouse</title>
    <link rel="icon" href="${escaped(publicUrl)}/assets/icon.svg">
    <link rel="stylesheet" href="${escaped(publicUrl)}/assets/pages.css">
  </head>
  <body>
    <main>
      <h1>${escaped(title)}</h1>
      ${body}
    </main>
  </body>
</html>
`;
  exchange.replaceHeaders({ 'Content-Security-Policy': policyFor(formLeadsTo) });
  const type = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': Buffer.byteLength(html) };
  exchange.writeHead(status, { ...headers, ...type }).end(html);
}
