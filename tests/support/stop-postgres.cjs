module.exports = require('./start-postgres.cjs').stop;
