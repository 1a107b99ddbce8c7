import { createHash } from 'node:crypto';
import { noSuchRoute } from '../routing/request-error.js';
import type { PlainRoute } from '../routing/route.js';

/** The path of the picture of a user. It follows from the id alone, which says nothing about the user. */
export const avatarPath = (userId: string): string =>
  `/assets/avatars/${createHash('sha256').update(`avatar of ${userId}`).digest('hex').slice(0, 24)}.svg`;

const named = /^([0-9a-f]{24})\.svg$/;

/** Five by five squares, the left half mirrored, in a color of the digest. */
function identicon(digest: string): string {
  const hue = Number.parseInt(digest.slice(0, 3), 16) % 360;
  const squares = [...digest.slice(3, 18)].flatMap((digit, index) => {
    if (Number.parseInt(digit, 16) % 2 === 0) return [];
    const [column, row] = [index % 3, Math.floor(index / 3)];
    return (column === 2 ? [column] : [column, 4 - column]).map((x) => `M${x + 1} ${row + 1}h1v1h-1z`);
  });
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7" shape-rendering="crispEdges">' +
    `<rect width="7" height="7" fill="#f2f2f2"/><path fill="hsl(${hue}, 45%, 42%)" d="${squares.join('')}"/></svg>`
  );
}

/** Drawn from the digest alone, so that a response does not show whether there is such a user. */
export const avatarRoute: PlainRoute = {
  method: 'get',
  path: '/assets/avatars/:name',
  countedAs: 'page',
  handle: (exchange) => {
    const [, digest] = named.exec(String(exchange.request.params.name)) ?? [];
    if (digest === undefined) throw noSuchRoute();
    const picture = Buffer.from(identicon(digest));
    exchange.replaceHeaders({ 'Cache-Control': 'public, max-age=31536000, immutable' });
    exchange.writeHead(200, { 'Content-Type': 'image/svg+xml', 'Content-Length': picture.byteLength }).end(picture);
  },
};
