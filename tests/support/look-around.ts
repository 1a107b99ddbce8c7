/**
 * A script for the shell that writes into a directory what it can read of the processes above it: for each, its
 * environment, its command line, what its descriptors lead to, and what is in those that are files.
 */
export const lookAround = (directory: string): string =>
  [
    'p=$PPID; n=0',
    'while [ "$p" -gt 1 ] && [ $n -lt 4 ]; do',
    `  cat /proc/$p/environ > ${directory}/environ-$p 2> ${directory}/refused-$p`,
    `  cat /proc/$p/cmdline > ${directory}/cmdline-$p`,
    `  for f in /proc/$p/fd/*; do [ -e "$f" ] || [ -L "$f" ] || continue; echo "$(basename "$f") $(readlink "$f")"; done > ${directory}/fd-$p 2> /dev/null`,
    `  for f in /proc/$p/fd/*; do [ -f "$f" ] && head -c 1000000 "$f"; done > ${directory}/files-$p 2> /dev/null`,
    `  p=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$p/status); n=$((n + 1))`,
    'done; :',
  ].join('\n');
