/** Programs whose absence is no reason to skip a test: whoever runs the tests has installed them. */
const required = (process.env.REQUIRE_PROGRAMS ?? '').split(' ');

/** Whether tests that need `program` are to be run, which `present` says is there. */
export const usable = (program: string, present: boolean): boolean => present || required.includes(program);
