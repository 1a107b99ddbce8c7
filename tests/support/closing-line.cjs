/** Prints the one line that says how the run ended, after everything Jest prints itself. */
module.exports = class ClosingLine {
  onRunComplete(_contexts, results) {
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.stderr.write('', () =>
      console.log(`\n${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped`),
    );
  }
};
