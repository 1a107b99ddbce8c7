import { z } from 'zod';
import { oneOf, valuesOf } from '../routing/parameters.js';
import type { Reference } from '../routing/reference.js';
import { type Call, jsonType, plainJson, type Route } from '../routing/route.js';

const parameters = {
  redirect: oneOf(
    ['true', 'false'],
    'With `false`, the URL is the body of a 200. A page in a browser cannot read where a redirect leads.',
  ),
};

/** The download of an archive: a redirect to a temporary URL, or the URL. */
export const locates = (operation: string, summary: string, about?: string) => (): Reference => ({
  operation,
  summary,
  ...(about !== undefined && { about }),
  // Not a parameter of the family, whose names other routes refuse.
  query: parameters,
  answers: {
    200: { mediaType: jsonType, schema: z.strictObject({ url: z.url() }) },
    302: { location: 'Redirect to the archive. The URL is temporary and needs no token.' },
  },
  refusals: [422],
});

export const answerLocated =
  (locate: (call: Call) => Promise<string>): Route['handle'] =>
  async (call) => {
    const { redirect } = valuesOf(parameters, call.query);
    const url = await locate(call);
    return redirect === 'false' ? plainJson({ url }) : { status: 302, headers: { Location: url } };
  };
