/** Ends a run of Jest at the first test that fails: the change was noticed. */
module.exports = class FirstFailure {
  onTestCaseResult(_test, { status }) {
    if (status === 'failed') process.exit(1);
  }
};
