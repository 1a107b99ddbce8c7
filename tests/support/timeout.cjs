// Only a test that hangs takes this long: a loaded machine fails none.
jest.setTimeout(600_000);
