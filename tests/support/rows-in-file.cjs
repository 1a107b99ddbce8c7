process.env.TEST_HTTP_DATABASE = 'file';
