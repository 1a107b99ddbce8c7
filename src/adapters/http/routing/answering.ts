import type { Page } from '../../../application/index.js';
import type { Resource } from './document.js';
import { pageDocument } from './pagination.js';
import { type Answer, type Call, created, noContent, ok, type Route } from './route.js';

// The usual handlers: what the use case returns, presented.

export const answerOne =
  <View>(present: (view: View) => Resource, find: (call: Call) => Promise<View>): Route['handle'] =>
  async (call) =>
    ok({ data: present(await find(call)) });

export const answerCreated =
  <View>(present: (view: View) => Resource, create: (call: Call) => Promise<View>): Route['handle'] =>
  async (call) =>
    created({ data: present(await create(call)) });

export const answerPage =
  <View>(present: (view: View) => Resource, find: (call: Call) => Promise<Page<View>>): Route['handle'] =>
  async (call) =>
    ok(pageDocument(call.path, call.query, await find(call), present));

/** There is nothing to say beyond the status. */
export const answerEmpty =
  (act: (call: Call) => Promise<unknown>, answer: Answer = noContent): Route['handle'] =>
  async (call) => {
    await act(call);
    return answer;
  };
