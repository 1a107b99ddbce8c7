// One measurement may meet a machine that is busy with something else; two of the same attack do not.
jest.retryTimes(1);
