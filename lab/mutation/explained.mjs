/** The steps of a run that its policies decide. */
const verdicts = ['pass-policy-check', 'await-override', 'fail-policy-check'];

/** Survivors that no test can kill, and why, by the name of the mutant. */
export const explained = new Map([
  [
    "policy notification-configurations/manage-of-project: ['project settings: update', 'runs: read'] without 'runs: read'",
    'every access to a project reads the runs of its workspaces; the table says what the notifications tell',
  ],
  [
    'visibility.ts true in membersManageToken: false',
    'asked only of members of the team, and nobody is a member of the team that stands for those of others',
  ],
  [
    'effective-access.ts dropped: known.set(key, suffices);',
    'the same parts are then asked again, with the same answer',
  ],
  ...['claims.ts dropped: known.set(standing, result);', 'policy.ts dropped: decisions.set(action, decision);'].map(
    (name) => [name, 'the same question is then answered again, with the same answer'],
  ),
  [
    'visibility.ts false in stranger(true) #2',
    'asked of a team without access to the workspace, which only an owner sees, secret or not',
  ],
  [
    'visibility.ts true in stranger(false) #2',
    'only an owner manages the token of the owners team, and an owner sees secret teams, so its being secret changes nothing',
  ],
  [
    'workspace-permissions.ts > in rank(scale, a[scale]) >= rank(scale, b[scale])',
    'of two equal levels it does not matter which is picked',
  ],
  [
    'workspace-permissions.ts && in needed[scale] === undefined || needed[scale] === held[scale]',
    'a shortcut: the ranks say the same of a level that is not named, which ranks below all, and of equal ones',
  ],
  [
    'workspace-permissions.ts > in rank(scale, held[scale]) >= rank(scale, needed[scale])',
    'equal ranks are equal levels, which were compared before',
  ],
  [
    'run-progress.ts dropped: if (version === undefined) throw gone(run.state.id);',
    'a version goes away with its runs, so it is there; the types do not know it',
  ],
  [
    'run-progress.ts dropped: if (!held) throw notFound();',
    'taking the sequence refuses it as well: the lock makes the two wait for each other',
  ],
  [
    'run-progress.ts true in workspaceHeld: false',
    'asked only when a waiting run is executed by force, and a run that waits needs the workspace and has it not',
  ],
  ...['isCurrent', 'usedByRun'].map((fact) => [
    `run-progress.ts true in ${fact}: false`,
    'the row of `finish-runs` does not look at it; the type asks for it',
  ]),
  [
    "run-progress.ts dropped: if (!version.allows('finish-runs', unused, this.clock.now())) return;",
    'a shortcut: what is ordered here asks the lifecycle again',
  ],
  [
    'claim-run.ts && in workspace === undefined || pool === undefined',
    'the lock on the row of the workspace and the share of the pool keep both there; the types do not know it',
  ],
  [
    `claim-run.ts dropped: if (version === undefined) throw new Error(\`a resource that \${id} depends on was `,
    'a version goes away with its runs, so it is there; the types do not know it',
  ],
  [
    'authenticate-session.ts && in credential === undefined || user === undefined',
    'a session goes away with its user, so there is none of its user without it; the types do not know it',
  ],
  [
    'identity-links.ts dropped: if (user === undefined) throw signedOut();',
    'a session goes away with its user, so there is none of its user without it; the types do not know it',
  ],
  [
    "own-user.ts dropped: if (actor.kind !== 'user') throw notFound();",
    'the change is refused before it with the same error; the types do not know it',
  ],
  [
    'uploads.ts dropped: if (!isRefusal(error)) throw error; #2',
    'the same error is thrown then, once the resource has been found again in vain',
  ],
  ...[
    "dropped: if (claims === undefined) throw new Error('the provider sent no ID token');",
    'false in idTokenExpected: true',
  ].map((change) => [
    `openid-provider.ts ${change}`,
    'each of the two refuses a provider that sends no ID token, with the same words to the person',
  ]),
  [
    "openid-provider.ts || in typeof value === 'number' && value < 8.64e12",
    'the library refuses an auth_time that is no number, and undefined is not less than anything',
  ],
  ...["&& in value === undefined || value === '' || value.length > longest", '>= in value.length > longest'].map(
    (change) => [
      `browser.ts ${change}`,
      'a shortcut: no session and no sign-in has a secret that is empty or so long, so that it is not found',
    ],
  ),
  [
    "complete-sign-in.ts || in isDomainError(error) && error.code === 'attribute/taken'",
    'any other refusal is then tried again, and answered with the same words',
  ],
  [
    'complete-sign-in.ts && in !isTaken || attempt === maxAttempts',
    'another refusal is then tried again in vain, and the limit shows only when each attempt loses to another sign-in',
  ],
  ...['< in parts.length <= 1', "|| in version.status === 'pending' && !version.outputsRead"].map((change) => [
    `announce-state.ts ${change}`,
    'outputs are then inserted again, which does nothing: each is kept once, by its name',
  ]),
  ...[
    ...['fetch-files', 'queue-plan', 'start-pre-plan', 'pass-pre-plan', 'fail-pre-plan', ...verdicts, 'release-agent'],
    ...['start-pre-apply', 'pass-pre-apply', 'fail-pre-apply', 'queue-apply', 'request-cancel', 'finish-cancel'],
    'force-cancel',
    'force-execute',
  ].map((trigger) => [
    `runs ${trigger} guards with policies done`,
    'the guard refuses only runs that are planned, and this step never starts there',
  ]),
  [
    'runs start-pre-apply guards with files available',
    'a confirmed run was planned from its files, so they are there; only all combinations of facts have it otherwise',
  ],
  ['run.ts >= in a > b', 'of two equal instants it does not matter which is taken'],
  ...['pass-pre-apply', 'fail-pre-apply'].map((trigger) => [
    `runs ${trigger} guards with tasks before the apply called`,
    'tasks that passed or failed were called: the guard before it already refuses those that wait',
  ]),
  ...['request-cancel', 'finish-cancel', 'force-cancel'].map((trigger) => [
    `runs ${trigger} guards with under lease`,
    'a run that is applied is under the lease of its agent',
  ]),
  [
    'runs release-agent guards: under lease asked earlier',
    'the step is automatic, and one that is not taken gives no reason',
  ],
  ...verdicts.map((trigger) => [
    `runs ${trigger} guards with policies apply`,
    'policies that passed or failed apply: the guard before it already refuses a run without any',
  ]),
  ...['state-version.ts true in forced: false', 'roll-back-state.ts false in forced: true'].map((name) => [
    name,
    'only the check of a state that a client announced looks at it; the type asks for it',
  ]),
  ['create-state-version.ts <= in at < bytes.length', 'one more slice, which is empty'],
  [
    'create-state-version.ts dropped: await this.admit(actor, command.workspaceId);',
    'a shortcut: the same is asked again with the row of the workspace locked, and the bytes are discarded then',
  ],
  [
    'group-memberships.ts dropped: if (first === undefined) return;',
    'memberships that are grouped by their team are never none; the types do not know it',
  ],
  ['document-kind.ts dropped: kinds.set(reference, kind);', 'the same is then found again, with the same answer'],
  ...['private hasEscapes = false;', 'this.hasEscapes = false'].map((place) => [
    `json-reader.ts true in ${place}`,
    'a shortcut: a text without escapes that is parsed stays as it is',
  ]),
  ...[
    'negated: if (bytes.length > longText) freeBytes(bytes);',
    '>= in bytes.length > longText',
    'dropped: freeBytes(bytes);',
    'dropped: this.parts.forEach(freeBytes);',
  ].map((change) => [`json-reader.ts ${change}`, 'the collector frees the same bytes, only later']),
  ['read-body.ts dropped: freeBytes(body.inMemory);', 'the collector frees the same bytes, only later'],
  ...['body.size', 'reader.taken'].map((bytes) => [
    `read-body.ts dropped: turn.took(${bytes});`,
    'only the metric of the reserved memory shows it, while the body is parsed',
  ]),
  [
    'read-body.ts dropped: if (values > kind.values.max) throw tooManyValues(kind.values.max);',
    'a shortcut: the reader, which parses the body then, refuses as many in the same words',
  ],
  ['read-body.ts < in values <= limits.values.max', 'both ways of parsing have the same outcome'],
  ['read-body.ts >= in values > fewValues', 'one value more or less reserves memory: of neither is there much'],
  ['read-json.ts <= in at < last', 'what is not stepped over is searched, with the same outcome'],
  ['open-bundle.ts false in done: true', 'whoever ends an iteration does not look at what ending it returns'],
  ['task-result.ts <= in next < last', 'the two are equal then'],
  [
    "task-stage.ts true: ({ status }: Pick<TaskStage, 'status'>): boolean => stageLife.startsFrom(status, 'cl",
    'a stage that has ended has no open result, token or deadline: the callers check those too',
  ],
  [
    'call-run-task.ts dropped: if (workspace === undefined) return undefined;',
    'its run was found with the row of the workspace locked, and goes away with it; the types do not know it',
  ],
  ...[
    'receive-webhook.ts dropped: if (workspace.repository === null || !concerns(workspace, workspace.repository, e',
    'receive-webhook.ts && in workspace.repository === null || !concerns(workspace, workspace.repository, event)',
  ].map((name) => [name, 'a shortcut: the same is asked again with the row of the workspace locked']),
  ...[
    'perform-effects.ts >= in ended.length > 0',
    'perform-effects.ts >= in claimed.length > 0',
    'perform-effects.ts dropped: if (this.inHand.size === 0) return;',
    'knex-effects.ts dropped: if (ids.length === 0) return;',
  ].map((name) => [name, 'a shortcut: nothing is changed for no effects']),
  ['effect-claims.ts false in skipBinding: true', 'a statement of another text, with the same rows'],
  ['held-loops.ts <= in a < b', 'no two of them are the same'],
]);
