process.env.TMPDIR = require('./passing-files.cjs');
