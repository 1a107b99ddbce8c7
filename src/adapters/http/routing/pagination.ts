import { z } from 'zod';
import type { Page, PageRequest, UncountedPage } from '../../../application/index.js';
import type { Document, Resource } from './document.js';
import { limits } from './limits.js';
import type { Query } from './query.js';
import { type Fault, invalid } from './request-error.js';

const defaultSize = 20;

/** For the description of the API. */
export const pageParameters = {
  'page[number]': z
    .int()
    .min(1)
    .max(limits.pageNumber.max)
    .optional()
    .meta({ description: 'Page number, starting at 1.', example: 1 }),
  'page[size]': z
    .int()
    .min(1)
    .max(limits.pageSize.max)
    .optional()
    .meta({
      description: `Items per page (default ${defaultSize}, at most ${limits.pageSize.max}).`,
      example: defaultSize,
    }),
};

const within = (query: Query, parameter: string, fallback: number, largest: number): number | Fault => {
  const text = query.one(parameter);
  if (text === undefined) return fallback;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return value >= 1 && value <= largest
    ? value
    : { parameter, detail: `${parameter} must be between 1 and ${largest}` };
};

/** Throws a 422 with one error per parameter that is out of range. */
export function pageRequest(query: Query, fallback = defaultSize, largest: number = limits.pageSize.max): PageRequest {
  const number = within(query, 'page[number]', 1, limits.pageNumber.max);
  const size = within(query, 'page[size]', fallback, largest);
  if (typeof number === 'number' && typeof size === 'number') return { number, size };
  throw invalid([number, size].filter((value) => typeof value !== 'number'));
}

/** Undefined without a page parameter, for a list that is not paginated then. */
export const pageRequestOrNone = (query: Query): PageRequest | undefined =>
  query.one('page[number]') === undefined && query.one('page[size]') === undefined ? undefined : pageRequest(query);

/** The numbers of the pages around this one; null where there is none. */
export function pageNumbers({ number, size, total }: Page<unknown>) {
  const totalPages = Math.max(1, Math.ceil(total / size));
  return {
    number,
    totalPages,
    previous: number > 1 ? Math.min(number - 1, totalPages) : null,
    next: number < totalPages ? number + 1 : null,
  };
}

interface Around {
  readonly previous: number | null;
  readonly next: number | null;
  readonly counted?: { readonly pages: number; readonly items: number };
}

function around(page: Page<unknown> | UncountedPage<unknown>): Around {
  if ('total' in page) {
    const { previous, next, totalPages } = pageNumbers(page);
    return { previous, next, counted: { pages: totalPages, items: page.total } };
  }
  return { previous: page.number > 1 ? page.number - 1 : null, next: page.more ? page.number + 1 : null };
}

/** `path` begins with the prefix of the mount that serves it; the links keep the request's other parameters. */
export function pageDocument<Item>(
  path: string,
  query: Query,
  page: Page<Item> | UncountedPage<Item>,
  present: (item: Item) => Resource,
): Document {
  const { previous, next, counted } = around(page);
  const others = query.without('page[number]', 'page[size]');
  const linkTo = (number: number): string => `${path}?${others}page%5Bnumber%5D=${number}&page%5Bsize%5D=${page.size}`;
  return {
    data: page.items.map(present),
    links: {
      self: linkTo(page.number),
      first: linkTo(1),
      prev: previous === null ? null : linkTo(previous),
      next: next === null ? null : linkTo(next),
      ...(counted && { last: linkTo(counted.pages) }),
    },
    meta: {
      pagination: {
        'current-page': page.number,
        'page-size': page.size,
        'prev-page': previous,
        'next-page': next,
        ...(counted && { 'total-pages': counted.pages, 'total-count': counted.items }),
      },
      ...(page.searched !== undefined && { search: { newest: page.searched } }),
    },
  };
}
