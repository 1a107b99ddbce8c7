import { useState } from 'react';
import { type Answered, api } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Field } from './field.tsx';

interface Props {
  readonly organization: string;
}

const none = (detail: string): Problem =>
  new Problem(422, [{ status: '422', title: detail, detail, source: { pointer: '/data/attributes/name' } }]);

/** A workspace by its name, with proposals while a person types. */
export function WorkspaceField({ organization }: Props) {
  const [text, setText] = useState('');
  const { data } = useMaybeRead('/organizations/{organization}/workspaces', {
    path: { organization },
    query: { 'search[name]': text, 'page[size]': 20 },
  });
  const names = (data?.data ?? []).map(({ attributes }) => attributes.name);
  return (
    <Field label="Workspace" name="name" isRequired autoFocus suggestions={names} value={text} onChange={setText} />
  );
}

/** The id of the workspace of this name; throws a problem of the field `name`. */
export async function workspaceNamed(organization: string, name: string): Promise<string> {
  const path = { organization, name };
  return api
    .get('/organizations/{organization}/workspaces/{name}', { path })
    .then(({ data }) => data.id)
    .catch((error: unknown) => {
      throw error instanceof Problem && error.status === 404 ? none('There is no workspace of this name.') : error;
    });
}

/** A project by its name, with proposals while a person types. */
export function ProjectField({ organization }: Props) {
  const [text, setText] = useState('');
  const { data } = useMaybeRead('/organizations/{organization}/projects', {
    path: { organization },
    query: { q: text, 'page[size]': 20 },
  });
  const names = (data?.data ?? []).map(({ attributes }) => attributes.name);
  return <Field label="Project" name="name" isRequired autoFocus suggestions={names} value={text} onChange={setText} />;
}

/** The id of the project of this name; throws a problem of the field `name`. */
export async function projectNamed(organization: string, name: string): Promise<string> {
  const { data } = await api.get('/organizations/{organization}/projects', {
    path: { organization },
    query: { 'filter[names]': [name] },
  });
  const [found] = data;
  if (found === undefined) throw none('There is no project of this name.');
  return found.id;
}

/** A policy by its name, with proposals while a person types. */
export function PolicyField({ organization }: Props) {
  const [text, setText] = useState('');
  const { data } = useMaybeRead('/organizations/{organization}/policies', {
    path: { organization },
    query: { 'search[name]': text, 'page[size]': 20 },
  });
  const names = (data?.data ?? []).map(({ attributes }) => attributes.name);
  return <Field label="Policy" name="name" isRequired autoFocus suggestions={names} value={text} onChange={setText} />;
}

/** The id of the policy of this name; throws a problem of the field `name`. */
export async function policyNamed(organization: string, name: string): Promise<string> {
  for (let number: number | null = 1; number !== null; ) {
    const { data, meta }: Answered<'get', '/organizations/{organization}/policies'> = await api.get(
      '/organizations/{organization}/policies',
      { path: { organization }, query: { 'search[name]': name, 'page[size]': 100, 'page[number]': number } },
    );
    const found = data.find(({ attributes }) => attributes.name === name);
    if (found !== undefined) return found.id;
    number = meta.pagination['next-page'];
  }
  throw none('There is no policy of this name.');
}
