// biome-ignore-all lint/suspicious/noControlCharactersInRegex: logs contain control characters, and marks at their ends.
/** Text in one style. The class names are in `styles/log.css`. */
export interface Segment {
  readonly text: string;
  readonly classes: string;
}

interface Style {
  readonly color?: string;
  readonly bold?: boolean;
  readonly underline?: boolean;
}

const colors = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

const classesOf = ({ color, bold, underline }: Style): string =>
  [color && `ansi-${color}`, bold && 'ansi-bold', underline && 'ansi-underline'].filter(Boolean).join(' ');

/** The style after one parameter of "select graphic rendition". Backgrounds are left out: they defeat contrast. */
function styled(style: Style, code: number): Style {
  if (code === 0) return {};
  if (code === 1) return { ...style, bold: true };
  if (code === 4) return { ...style, underline: true };
  if (code === 22) return { ...style, bold: false };
  if (code === 24) return { ...style, underline: false };
  const color = code >= 30 && code <= 37 ? colors[code - 30] : code >= 90 && code <= 97 ? colors[code - 90] : undefined;
  if (color !== undefined) return { ...style, color };
  if (code === 39) {
    const { color: _gone, ...rest } = style;
    return rest;
  }
  return style;
}

const lone = '\u001b';
/** Sequences of colours, other control sequences, and single-character escapes. */
const sequence = /\u001b(?:\[([0-9;:]*)m|\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/gu;
const control = /[\u0000-\u0008\u000b-\u001f\u007f]/gu;
/** An escape sequence that may continue in the next piece. */
const unfinished = /\u001b(?:\[[0-?]*[ -/]*|\][^\u0007\u001b]{0,200})?$/u;

/** Reads a log piece by piece: the style, and a sequence that was cut, carry over. */
export class AnsiReader {
  private style: Style = {};
  private rest = '';

  read(piece: string): readonly Segment[] {
    const whole = this.rest + piece;
    const cut = unfinished.exec(whole)?.index ?? whole.length;
    this.rest = whole.slice(cut);
    const text = whole.slice(0, cut);
    const segments: Segment[] = [];
    let at = 0;
    for (const found of text.matchAll(sequence)) {
      this.add(segments, text.slice(at, found.index));
      at = found.index + found[0].length;
      if (found[1] === undefined) continue;
      for (const code of codesOf(found[1])) this.style = styled(this.style, code);
    }
    this.add(segments, text.slice(at));
    return segments;
  }

  private add(segments: Segment[], raw: string): void {
    const text = raw.replaceAll('\r\n', '\n').replaceAll(lone, '').replace(control, '');
    if (text !== '') segments.push({ text, classes: classesOf(this.style) });
  }
}

/** The parameters; 38 and 48 take those that follow, which name a colour of a larger palette. */
function codesOf(parameters: string): readonly number[] {
  const codes = parameters.split(/[;:]/).map(Number);
  const plain: number[] = [];
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0;
    if (code !== 38 && code !== 48) plain.push(code);
    else index += codes[index + 1] === 5 ? 2 : 4;
  }
  return plain;
}
