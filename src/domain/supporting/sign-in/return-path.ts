/** No segment begins with a dot, and nothing is encoded, so that no reader resolves the path to another place. */
const wellFormed = /^\/app(\/[\w~:@-][\w.~:@-]*)*\/?(\?[\w.~!$'()*+,;=:@/?&%[\]-]*)?$/;

const longest = 2_000;

export const usualReturnPath = '/app';

/** Whether a person may be sent there after signing in: pages below `/app` of this service, and nowhere else. */
export const isReturnPath = (path: string): boolean => path.length <= longest && wellFormed.test(path);
