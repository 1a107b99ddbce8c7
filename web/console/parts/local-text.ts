const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** An instant as the browser's field for one has it: in the reader's time zone, which it does not name. */
export function localText(instant: string): string {
  const at = new Date(instant);
  const day = [at.getFullYear(), twoDigits(at.getMonth() + 1), twoDigits(at.getDate())].join('-');
  return `${day}T${twoDigits(at.getHours())}:${twoDigits(at.getMinutes())}`;
}
