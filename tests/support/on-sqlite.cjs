process.env.TEST_HTTP_DATABASE = 'sqlite';
