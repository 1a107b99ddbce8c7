/** Shorter texts would be found in ordinary ones. */
export const shortestSecret = 4;

/** A text as it is, and as programs write it. docs/agents.md lists the forms. */
export function formsOf(value: string): readonly string[] {
  const text = value.toWellFormed();
  const encoded = text.length < shortestSecret ? [] : [...base64(text), ...percent(text)];
  return [value, ...quoted(text), ...encoded].filter(({ length }) => length >= shortestSecret);
}

/** Line by line too, since text of several lines is printed with indents. */
export function formsOfLines(value: string): readonly string[] {
  if (!/[\n\r]/.test(value)) return [];
  const lines = value.split(/[\n\r]+/).map((line) => line.trim());
  return lines.flatMap((line) => [line, ...quoted(line)]).filter(({ length }) => length >= shortestSecret);
}

const inHex = (sign: string, digits: number): string => (sign.codePointAt(0) ?? 0).toString(16).padStart(digits, '0');

/** Inside quotation marks: in JSON, in JSON as Go writes it, in terraform's language, and as Go shows a text. */
function quoted(text: string): readonly string[] {
  const json = JSON.stringify(text.toWellFormed()).slice(1, -1);
  const language = json.replace(/[$%](?=\{)/g, '$&$&');
  const go = (given: string) => given.replace(/[<>&\u2028\u2029]/g, (sign) => `\\u${inHex(sign, 4)}`);
  const shown = text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (sign) => named.get(sign) ?? numbered(sign));
  return [json, go(json), language, go(language), shown];
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
 * By itself, and inside a longer text, where it begins at one of three places in a group of three bytes. There, the
 * characters at both ends that depend on what is around it are left out. In the standard alphabet alone: see `TextAutomaton`.
 */
function base64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const inside = [0, 1, 2].map((offset) => {
    const all = Buffer.concat([Buffer.alloc(offset), bytes]);
    return all.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((all.length * 8) / 6));
  });
  const alone = bytes.toString('base64');
  return [...inside, alone, alone.replaceAll('=', '')];
}

/** In a URL: as JavaScript writes it, with everything but RFC 3986's unreserved characters, and in a query as Go does. */
function percent(text: string): readonly string[] {
  const least = encodeURIComponent(text);
  const most = least.replace(/[!'()*]/g, (sign) => `%${inHex(sign, 2).toUpperCase()}`);
  const forms = [least, most, least.replaceAll('%20', '+'), most.replaceAll('%20', '+')];
  return [...forms, ...forms.map((form) => form.replace(/%../g, (hex) => hex.toLowerCase()))];
}
