import { appendFileSync } from 'node:fs';

/** Measurements of one case, printed in this order. */
type Row = Readonly<Record<string, string | number>>;

/** A table of what was measured, printed at the end and added to the file that `HOSTILE_REPORT` names. */
export class Report {
  private readonly rows: Row[] = [];

  constructor(private readonly title: string) {}

  add(row: Row): void {
    this.rows.push(row);
  }

  print(): void {
    const names = [...new Set(this.rows.flatMap(Object.keys))];
    const lines = [names, names.map(() => '---'), ...this.rows.map((row) => names.map((name) => row[name] ?? ''))];
    const text = `\n${this.title}\n\n${lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}\n`;
    process.stdout.write(text);
    const { HOSTILE_REPORT: file } = process.env;
    if (file !== undefined) appendFileSync(file, text);
  }
}
