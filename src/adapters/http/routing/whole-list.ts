import { nextTurn } from '../../../application/files/in-slices.js';
import type { Place, Slice } from '../../../application/index.js';
import { type Document, jsonText, type Resource } from './document.js';
import { type Answer, ok } from './route.js';

/**
 * Rows whose text is written at once. V8 keeps texts of more than 128 KB apart from what is young, and collects them
 * late: of 250 rows each, eight readers of a long list take 30 to 90 MiB more.
 */
const rowsAtOnce = 100;

/**
 * The memory of a slice of rows and of the text made of it. A connection takes megabytes of a response that its client does
 * not read, so the memory is charged before: one caller has eight long lists at once, and cannot keep the process busy with
 * hundreds of them.
 */
export const bytesInHand = 1024 * 1024;

/**
 * A list that comes without pages. A short one is a document like any other; a longer one is the same text to the byte,
 * read and written piece by piece. `within` makes the document around its rows.
 */
export async function wholeList<Item>(
  read: (after: Place | undefined) => Promise<Slice<Item>>,
  present: (item: Item) => Resource,
  within: (rows: readonly Resource[]) => Document = (data) => ({ data }),
): Promise<Answer> {
  const first = await read(undefined);
  if (first.last === undefined && first.items.length <= rowsAtOnce) return ok(within(first.items.map(present)));
  return { status: 200, parts: partsOf(first, read, present, within), takes: bytesInHand };
}

/** Is nowhere else in a document. */
const aRow: Resource = { id: '\0', type: '', attributes: {} };

/** The text `JSON.stringify` would make of the whole document, of which the first slice is not empty. */
async function* partsOf<Item>(
  slice: Slice<Item>,
  read: (after: Place) => Promise<Slice<Item>>,
  present: (item: Item) => Resource,
  within: (rows: readonly Resource[]) => Document,
): AsyncGenerator<string> {
  const [before = '', after = ''] = jsonText(within([aRow])).split(JSON.stringify(aRow));
  let opening = before;
  for (;;) {
    for (let from = 0; from < slice.items.length; from += rowsAtOnce) {
      const rows = slice.items.slice(from, from + rowsAtOnce).map(present);
      yield opening + jsonText(rows).slice(1, -1);
      opening = ',';
    }
    if (slice.last === undefined) break;
    // A client that reads fast never makes a write wait.
    await nextTurn();
    slice = await read(slice.last);
  }
  yield after;
}
