/**
 * A user for programs of the agent, of which everything is killed. No account has this id, nor have tests that run at the
 * same time; it is below 65534, for containers that map no others.
 */
const id = 20_000 + (process.pid % 40_000);

export const runUser = { uid: id, gid: id };
