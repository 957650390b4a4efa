// Every event that backend and agent make themselves, for docs/reference/events.md. Each row names the source and a text in it;
// `faultsOfMadeEvents` compares both ways: a row that no source makes, and a source that makes an event without a row.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const keepaliveHandlers =
  '`keepalive_handlers` of the entity, else the handler `keepalive`; the pipelines of `--keepalive-pipelines` of the agent';

/** check, made when, status, handlers, kept, [file, text in it]... */
export const hostEvents = [
  [
    '`keepalive`',
    'a keepalive arrives',
    '0',
    keepaliveHandlers,
    'yes',
    ['machines/entity/keepalive-rule.ts', 'Keepalive last sent from '],
  ],
  [
    '`keepalive`',
    'no keepalive arrived within the warning timeout, and again after every further one',
    '1',
    'the same',
    'yes',
    ['machines/entity/keepalive-rule.ts', 'No keepalive sent from '],
  ],
  [
    '`keepalive`',
    'no keepalive arrived within the critical timeout',
    '2',
    'the same',
    'yes',
    ['machines/entity/keepalive-rule.ts', "level === 'critical' ? 2 : 1"],
  ],
  [
    '`keepalive` of a client of the earlier generation',
    'its thresholds are passed, or it is heard again',
    '0, 1 or 2',
    'the handler `keepalive`, or those of the client',
    'yes',
    ['machines/client/client-keepalive-rule.ts', 'Keepalive sent from client '],
  ],
  [
    '`registration`',
    'an agent is heard of for the first time',
    '1',
    'the handler `registration`',
    'no',
    ['machines/entity/keepalive-rule.ts', 'handlers: [registrationName]'],
  ],
  [
    '`registration`',
    'a client of the earlier generation is heard of for the first time',
    '1',
    'the handler `registration`',
    'no',
    ['machines/client/client-registry-rule.ts', 'new client registration'],
  ],
  [
    '`deregistration`',
    'an agent with `--deregister` stops or falls silent; its entity is deleted',
    '1',
    '`--deregistration-handler` of the agent, else that of the backend',
    'no',
    ['actors/families/entity/deregistration.ts', "name: 'deregistration'"],
  ],
  [
    '`deregistration`',
    'a client of the earlier generation signs off',
    '1',
    'the handler `deregistration`',
    'no',
    ['client/client.ts', 'client initiated deregistration'],
  ],
  [
    'each failing check of that host',
    'the host deregisters; output `Resolving due to entity deregistering`',
    '0',
    'those of the check',
    'no',
    ['actors/families/entity/deregistration.ts', 'Resolving due to entity deregistering'],
  ],
];

/** event, made when, status, handlers, source. Handlers are those of the check where nothing else is said. */
export const checkEvents = [
  [
    'output `Last check execution was N seconds ago`',
    'no result came within its `ttl`; again after every further `ttl`',
    '1, or its `ttl_status`',
    ['machines/check/ttl-rule.ts', 'Last check execution was '],
  ],
  [
    '`check.acknowledgement.reminder: true`',
    'a reminder of an acknowledged incident is due',
    'as the last result',
    ['machines/check/acknowledgement-rule.ts', 'reminder: true'],
  ],
  [
    'output `Resolved manually by mon-ctl`',
    'somebody runs `mon-ctl event resolve`',
    '0',
    ['ctl/commands/events.ts', 'Resolved manually by mon-ctl'],
  ],
  [
    'output `Resolved manually by NAME`',
    'somebody resolves events in the dashboard, or with `mon-ctl job start resolve`',
    '0',
    ['actors/families/job/job-steps.ts', 'Resolved manually by '],
  ],
  [
    'the output names the token, asset, secret or right that was missing',
    'the agent could not run the check',
    '3; where the allow list forbids the command: the annotation `allow_list_on_deny_status`',
    ['agent/checks/check-run.ts', 'output: message'],
  ],
  [
    'output `error while substituting check tokens: ...`',
    'a token of a proxy check has no value',
    '3',
    ['actors/families/schedule/requests.ts', 'error while substituting check tokens: '],
  ],
  [
    'output `Execution timed out`',
    'the command ran longer than the `timeout` of the check',
    '2',
    ['agent/checks/executor.ts', 'Execution timed out'],
  ],
  [
    'output `Check is not locally defined (safe mode)`',
    'a client of the earlier generation in safe mode is asked for a check that it does not define',
    '3',
    ['client/check-runner.ts', 'Check is not locally defined (safe mode)'],
  ],
  [
    'output `Execution timed out` or `Unexpected error: ...`, of a client of the earlier generation',
    'the command ran too long, or could not be started',
    '2 or 3',
    ['client/executor.ts', 'Unexpected error: '],
  ],
];

/** In the namespace `mon-system`: check, failing when, passes when, source. */
export const backendEvents = [
  [
    '`watchdog`',
    'checks that are due do not run',
    'all run again',
    ['actors/platform/platform-events.ts', "watchdogCheckName = 'watchdog'"],
  ],
  [
    '`configuration`',
    'definitions cannot work as they stand: a handler that does not exist, a filter that throws, a check without agents',
    'the last of them is corrected',
    ['actors/compose/compose-problems.ts', "configurationCheck = 'configuration'"],
  ],
  [
    '`earlier-clients`',
    'messages of clients of the earlier generation are refused',
    'nothing was refused for five minutes',
    ['actors/families/client/refusals.ts', "refusalsCheckName = 'earlier-clients'"],
  ],
];

/** Matches below that make no event of their own. */
const notEvents = {
  'actors/problems/try-expressions.ts': 'a sample that expressions are tried with; it is never handled',
  'machines/client/client-event-rule.ts': 'what a client sent',
  'agent/connection/keepalive.ts': 'the keepalive itself; the backend makes its event',
  'client/hooks.ts': 'the result of a hook, inside an event',
  'model/resource/names.ts': 'a name alone',
  'http/openapi/examples.ts': 'an example',
  'http/inspect/events/event-list.ts': 'an example',
};

/** An output in words, a check from nothing, or the name of a check of the backend itself. */
const signs = [
  /\boutput(?::| =) *(?:'[^']+'|`[^`]+`)/,
  /\bcheckSchema\.parse\(/,
  /\bexport const \w*Check(?:Name)? = '[a-z-]+'/,
];

const source = fileURLToPath(new URL('../src', import.meta.url));
const filesBelow = (path) =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap((name) => filesBelow(join(path, name))) : [path];

/** What the tables and the sources do not agree about; nothing if they do. */
export const faultsOfMadeEvents = () => {
  const rows = [...hostEvents, ...checkEvents, ...backendEvents].map((row) => row.at(-1));
  const texts = new Map(
    filesBelow(source).map((path) => [
      relative(source, path).replaceAll('\\', '/'),
      readFileSync(path, 'utf8'),
    ]),
  );
  const named = new Set(rows.map(([file]) => file));
  const making = [...texts]
    .filter(([file, text]) => !/\.test\.ts$/.test(file) && signs.some((sign) => sign.test(text)))
    .map(([file]) => file);
  return [
    ...rows
      .filter(([file, text]) => !texts.get(file)?.includes(text))
      .map(([file, text]) => `scripts/made-events.js: src/${file} does not say: ${text}`),
    ...making
      .filter((file) => !named.has(file) && notEvents[file] === undefined)
      .map((file) => `scripts/made-events.js misses what src/${file} makes`),
    ...Object.keys(notEvents)
      .filter((file) => !making.includes(file))
      .map((file) => `scripts/made-events.js: src/${file} makes nothing that has to be excused`),
  ];
};
