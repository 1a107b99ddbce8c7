/** Shorter secrets would match ordinary text. */
const shortestSecret = 4;

/** A text and its encodings by programs. docs/agents.md lists the forms. A generator, since they may be long. */
export function* formsOf(value: string): Generator<string> {
  const text = value.toWellFormed();
  yield* longEnough([value]);
  yield* longEnough(quoted(text));
  if (text.length < shortestSecret) return;
  yield* longEnough(base64(text));
  yield* longEnough(percent(text));
}

/** Line by line as well, since programs indent multi-line text. */
export function* formsOfLines(value: string): Generator<string> {
  if (!/[\n\r]/.test(value)) return;
  for (const [line] of value.matchAll(/[^\n\r]+/g)) {
    const text = line.trim();
    yield* longEnough([text]);
    yield* longEnough(quoted(text));
  }
}

function* longEnough(forms: Iterable<string>): Generator<string> {
  for (const form of forms) if (form.length >= shortestSecret) yield form;
}

const inHex = (sign: string, digits: number): string => (sign.codePointAt(0) ?? 0).toString(16).padStart(digits, '0');

/** Inside quotation marks: in JSON, in Go's JSON, in terraform's language, and as Go quotes a string. */
function* quoted(text: string): Generator<string> {
  const json = JSON.stringify(text.toWellFormed()).slice(1, -1);
  const language = json.replace(/[$%](?=\{)/g, '$&$&');
  const go = (given: string) => given.replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${inHex(sign, 4)}`);
  yield json;
  yield go(json);
  yield language;
  yield go(language);
  yield text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (sign) => named.get(sign) ?? numbered(sign));
}

const named = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
]);

function numbered(sign: string): string {
  if (sign < '\x80') return `\\x${inHex(sign, 2)}`;
  return sign.length === 1 ? `\\u${inHex(sign, 4)}` : `\\U${inHex(sign, 8)}`;
}

/**
 * Encoded on its own, and inside a longer text at each of the three offsets in a group of three bytes, without the
 * characters at both ends that depend on the surrounding text. In the standard alphabet only: see `TextAutomaton`.
 */
function* base64(text: string): Generator<string> {
  const bytes = Buffer.from(text);
  for (const offset of [0, 1, 2]) {
    const all = Buffer.concat([Buffer.alloc(offset), bytes]);
    yield all.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((all.length * 8) / 6));
  }
  const alone = bytes.toString('base64');
  yield alone;
  yield alone.replaceAll('=', '');
}

/** Percent-encoded: as in JavaScript, with everything but RFC 3986's unreserved characters, and as in Go's queries. */
function* percent(text: string): Generator<string> {
  const minimal = encodeURIComponent(text);
  const maximal = minimal.replace(/[!'()*]/g, (sign) => `%${inHex(sign, 2).toUpperCase()}`);
  for (const form of [minimal, maximal]) {
    for (const one of [form, form.replaceAll('%20', '+')]) {
      yield one;
      yield one.replace(/%../g, (hex) => hex.toLowerCase());
    }
  }
}
