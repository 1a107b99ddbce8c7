const { randomInt } = require('node:crypto');

process.env.PROPERTY_SEED ??= String(randomInt(2 ** 31));
