/** Programs that must be present: a test that needs one fails without it instead of being skipped. */
const required = (process.env.REQUIRE_PROGRAMS ?? '').split(' ');

/** Whether tests that need `program` run: because it is `present`, or because it is required. */
export const usable = (program: string, present: boolean): boolean => present || required.includes(program);
