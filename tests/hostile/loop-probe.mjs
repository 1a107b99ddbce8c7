// Loaded before the service, in its process: writes to LOOP_PROBE for how long its event loop was held at most, in milliseconds:
// by its own work (`worked`), and with what it waited for, as the disk (`held`). Time that other processes had the processor
// does not count. SIGUSR2 makes it begin again.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.env.LOOP_PROBE;
const every = 5;

/** Of the main thread in milliseconds: for how long it ran, and was ready while another process ran. */
const times = () =>
  readFileSync('/proc/self/schedstat', 'latin1')
    .split(' ')
    .map((nanoseconds) => Number(nanoseconds) / 1e6);

let most = { worked: 0, held: 0 };
let before = performance.now();
let [ranBefore, readyBefore] = times();

const look = () => {
  const now = performance.now();
  const [ran, ready] = times();
  const worked = ran - ranBefore;
  const held = now - before - (ready - readyBefore) - every;
  [before, ranBefore, readyBefore] = [now, ran, ready];
  return { worked, held };
};
const write = () => writeFileSync(file, JSON.stringify(most));

setInterval(() => {
  const { worked, held } = look();
  if (worked <= most.worked && held <= most.held) return;
  most = { worked: Math.round(Math.max(worked, most.worked)), held: Math.round(Math.max(held, most.held)) };
  write();
}, every).unref();

process.on('SIGUSR2', () => {
  look();
  most = { worked: 0, held: 0 };
  write();
});
