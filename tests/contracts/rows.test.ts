import { describe, expect, it } from '@jest/globals';
import { rowsOf } from '../../src/adapters/persistence/knex/engine/rows.js';

interface Book {
  readonly id: string;
  readonly title: string | null;
  readonly lent: boolean;
  readonly pages: number;
  readonly tags: readonly string[] | null;
  readonly shelf: { readonly room: string; readonly board: { readonly number: number } } | null;
  readonly authors: readonly string[];
  readonly price: string;
}

const titles = rowsOf<Pick<Book, 'id' | 'title'>>((row) => ({ id: row.id, title: row.title }));

interface Priced {
  readonly amount: number;
  readonly currency: string;
}

const books = rowsOf<Book>((row, as) => ({
  ...titles.literal(row, as),
  lent: as.flag(row.is_lent),
  pages: as.number(row.pages),
  tags: as.json(row.tags),
  shelf: as.group(row.room, { room: row.room, board: { number: as.joined(row.pages, Number) } }),
  authors: as.joined(row.authors, (names: string) => names.split(' ')),
  price: as.read(row, ['amount', 'currency'], ({ amount, currency }: Priced) => `${amount} ${currency}`),
}));

const book: Book = {
  id: 'b-1',
  title: 'On rows',
  lent: true,
  pages: 7,
  tags: ['a'],
  shelf: { room: 'east', board: { number: 7 } },
  authors: ['Ann', 'Ben'],
  price: '3 EUR',
};

const row = { id: 'b-1', title: 'On rows', is_lent: 1, pages: '7', tags: '["a"]', room: 'east' };

describe('a row that describes itself', () => {
  it('is read as its literal says, whichever database answered it', () => {
    const joined = { authors: 'Ann Ben', amount: 3, currency: 'EUR' };
    expect(books.read({ ...row, ...joined })).toEqual(book);
    expect(books.read({ ...row, ...joined, is_lent: true, pages: 7 })).toEqual(book);
    const empty = { ...row, ...joined, title: null, is_lent: 0, tags: null, room: null };
    expect(books.read(empty)).toEqual({ ...book, title: null, lent: false, tags: null, shelf: null });
  });

  it('has the columns that its literal names, each once, and none that are joined', () => {
    expect(books.columns).toEqual(['id', 'title', 'is_lent', 'pages', 'tags', 'room', 'amount', 'currency']);
    expect(titles.columns).toEqual(['id', 'title']);
  });

  it('is written to its own columns; those that are only read are left out', () => {
    const written = { id: 'b-1', title: 'On rows', is_lent: true, pages: 7, tags: '["a"]', room: 'east' };
    expect(books.write({ ...book, shelf: { room: 'east', board: { number: 8 } } })).toEqual(written);
    const nothing = { ...book, title: null, tags: null, shelf: null, lent: false, pages: 0 };
    expect(books.write(nothing)).toEqual({ ...written, title: null, tags: null, room: null, is_lent: false, pages: 0 });
  });

  it('gives the columns of some members', () => {
    expect(books.only('lent', 'shelf').columns).toEqual(['is_lent', 'room']);
    expect(books.except('id', 'title', 'tags', 'price').columns).toEqual(['is_lent', 'pages', 'room']);
    expect(books.only('title').write(book)).toEqual({ title: 'On rows' });
  });

  it('lets the compiler find a member that is missing, and a flag or an object that no word says', () => {
    // @ts-expect-error: the title is missing.
    rowsOf<Pick<Book, 'id' | 'title'>>((row) => ({ id: row.id }));
    // @ts-expect-error: SQLite answers a number.
    rowsOf<Pick<Book, 'lent'>>((row) => ({ lent: row.is_lent }));
    // @ts-expect-error: both databases answer a text.
    rowsOf<Pick<Book, 'tags'>>((row) => ({ tags: row.tags }));
    // @ts-expect-error: of the shelf, the board is missing.
    rowsOf<Pick<Book, 'shelf'>>((row, as) => ({ shelf: as.group(row.room, { room: row.room }) }));
  });

  it('refuses a member without a column, and one column in two members', () => {
    expect(() => rowsOf<Pick<Book, 'title'>>((row) => ({ title: row.title && null }))).toThrow(TypeError);
    const twice = () => rowsOf<Pick<Book, 'id' | 'title'>>((row) => ({ id: row.id, title: row.id }));
    expect(twice).toThrow('two members have the column id');
  });
});
