// Writes docs/reference/: settings and commands of the programs, resources, errors and machines, from the code.
// Usage: node scripts/reference-docs.js [--check]   --check: only say whether it is up to date (build first)
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { families } from '../dist/src/actors/families/table.js';
import { agentProgram } from '../dist/src/agent/flags.js';
import { globalFlags } from '../dist/src/ctl/command.js';
import { commandTree } from '../dist/src/ctl/tree/command-tree.js';
import { machineGraph } from '../dist/src/http/inspect/machine-graph.js';
import { allMachines } from '../dist/src/main/all-machines.js';
import { backendProgram } from '../dist/src/main/backend-flags.js';
import { errorCatalogue } from '../dist/src/model/errors.js';
import { resourceKinds } from '../dist/src/model/resource/resource-kinds.js';
import {
  alternatives,
  bare,
  factsOf,
  fieldsOf,
  shapeOfKind,
  typeOf,
} from '../dist/src/model/schema/schema-words.js';
import { placeholder, shownDefault } from '../dist/src/program/command-line.js';
import { environmentName } from '../dist/src/program/resolve.js';
import { cell, writeDoc } from './generated-doc.js';
import { agentLines, backendLines, faultsOfLines } from './log-lines.js';
import { backendEvents, checkEvents, faultsOfMadeEvents, hostEvents } from './made-events.js';

const note = '<!-- Written by scripts/reference-docs.js from the code. -->';
const code = (text) => (text === '' ? '' : `\`${text}\``);
const sentence = (text) => (text === '' || /[.?!]$/.test(text) ? text : `${text}.`);
const capital = (text) => (/^\w+:\/\//.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));
const table = (head, rows) =>
  [
    `| ${head.join(' | ')} |`,
    `|${'---|'.repeat(head.length)}`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
const page = (name, text) => writeDoc(`reference/${name}.md`, text, 'reference-docs.js');

const limitsOf = (flag) => {
  if (flag.kind === 'text' && flag.choices !== undefined)
    return `One of ${flag.choices.map(code).join(', ')}.`;
  if (flag.kind === 'integer' && flag.min > 0) return `At least ${flag.min}.`;
  return '';
};

const settingRow =
  (program) =>
  ([name, flag]) => {
    const example = flag.example === undefined ? '' : `Example: ${code(flag.example)}.`;
    const alias =
      flag.alias === undefined
        ? ''
        : `Also ${code(`--${flag.alias.name}`)}${flag.alias.deprecated ? ' (deprecated)' : ''}.`;
    const short = flag.short === undefined ? '' : `${code(`-${flag.short}`)}, `;
    return [
      `${short}${cell(code(`--${name} ${placeholder(flag)}`))}`,
      code(environmentName(program.environmentPrefix, name)),
      code(shownDefault(flag) ?? (flag.kind === 'boolean' ? 'false' : '')),
      [sentence(capital(cell(flag.help))), limitsOf(flag), example, alias].filter(Boolean).join(' '),
    ];
  };

const settings = (program) =>
  table(
    ['Flag', 'Variable', 'Default', 'Meaning'],
    Object.entries(program.flags)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(settingRow(program)),
  );

page(
  'settings',
  `# Settings

${note}

Every setting of \`mon-backend start\` and \`mon-agent start\`. A flag wins over the environment variable, that over the YAML file
(\`--config-file\`), that over the default. The key in the file is the name of the flag without the dashes in front, so \`--agent-port 8082\`
is \`agent-port: 8082\`. Durations are written \`300ms\`, \`10s\`, \`2m30s\`, \`12h\`. Lists: repeat the flag, or separate values with commas. The
other commands have \`--help\`; \`mon-ctl\` has [a page of its own](../mon-ctl.md).

## mon-backend

${settings(backendProgram)}

## mon-agent

${settings(agentProgram)}
`,
);

/** One row for a field, then those inside it. */
const fieldRows = (path, raw, isRequired) => {
  const shape = bare(raw);
  const facts = factsOf(raw)
    // What an absent field is read as where nothing else makes sense.
    .filter((fact) => !/^default: (""|\{.*\}|\[\])$/.test(fact))
    .map((fact) => sentence(capital(cell(fact))));
  const row = [
    code(path),
    cell(typeOf(raw)),
    [sentence(cell(shape.description ?? '')), ...(isRequired ? ['Required.'] : []), ...facts]
      .filter(Boolean)
      .join(' '),
  ];
  const marks = { array: '[]', map: '.<name>' };
  const isMap = shape.properties === undefined && typeof shape.additionalProperties === 'object';
  const inner = fieldsOf(raw);
  const step = shape.items !== undefined ? marks.array : isMap ? marks.map : '';
  const required = new Set((shape.items === undefined ? shape : bare(shape.items)).required ?? []);
  return [
    row,
    ...Object.entries(inner).flatMap(([name, field]) =>
      fieldRows(`${path}${step}.${name}`, field, required.has(name)),
    ),
  ];
};

const fieldTable = (shape) => {
  const required = new Set(bare(shape).required ?? []);
  return table(
    ['Field', 'Type', 'Meaning'],
    Object.entries(fieldsOf(shape)).flatMap(([name, field]) => fieldRows(name, field, required.has(name))),
  );
};

/** One table, or one for each type of a kind that has several. */
const fieldTables = (shape) => {
  const sorts = alternatives(shape);
  if (sorts.length < 2) return fieldTable(shape);
  return sorts.map((sort) => `### ${typeNames(sort).join(', ')}\n\n${fieldTable(sort)}`).join('\n\n');
};

const typeNames = (sort) => {
  const { const: only, enum: several } = bare(fieldsOf(sort).type ?? {});
  return several ?? [only];
};

const resource = (kind) => {
  const namespaced = kind.namespaced ? '/namespaces/<namespace>' : '';
  const types = kind.types.map((type) => code(`type: ${type}`)).join(' or ');
  return `## ${kind.type}

${sentence(capital(cell(kind.summary)))} API: \`${kind.basePath}${namespaced}/${kind.path}\`. In files: ${types} and
\`api_version: ${kind.apiVersion}\`. In roles: \`${kind.rbacResource}\`.

${fieldTables(shapeOfKind(kind, true))}
`;
};

page(
  'resources',
  `# Resources

${note}

Every field of every kind of resource, as the API exchanges it. In files for \`mon-ctl\`, fields other than \`metadata\` are below \`spec\`.
\`mon-ctl explain KIND.FIELD\` prints the same. \`[]\` stands for each item of a list, \`<name>\` for each key of a map.

${resourceKinds.map(resource).join('\n')}`,
);

const errorRow = ([name, { status, code: number, message, retry }]) => [
  code(String(status)),
  String(number),
  code(name),
  sentence(capital(cell(message))),
  retry ? 'yes' : 'no',
];

page(
  'errors',
  `# Errors of the API

${note}

An error is a JSON object \`{"message": "...", "code": 2}\`. The message says what is wrong, where, and what to do; the one in this table is
used where there is nothing to add. The code is a number of the reference product. "Again" says whether the same request may succeed
later; wait for as many seconds as the header \`Retry-After\` says.

${table(
  ['Status', 'Code', 'Name', 'Message', 'Again'],
  Object.entries(errorCatalogue)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(errorRow),
)}
`,
);

const familyRow = ({ id, title, durable, deadlines, mailbox, supervise: { restart, place } }) => [
  code(id),
  title,
  durable === undefined ? '' : `${code(durable.prefix ?? durable.kind)} v${durable.version}`,
  Object.entries(deadlines)
    .map(([name, { waitsFor }]) => `${name} (${waitsFor})`)
    .join(', '),
  `${mailbox.capacity}, ${mailbox.overflow}`,
  restart,
  place.type === 'root' ? 'the root' : code(place.id),
];

const local = (machine, id) => code(id === machine.id ? '(root)' : id.replace(`${machine.id}.`, ''));

const machinePage = ({ machine, title }) => {
  const graph = machineGraph(machine, title);
  const states = graph.states
    .filter(({ parent }) => parent !== null)
    .map(({ id, type, description }) => [local(machine, id), type, sentence(cell(description))]);
  const lines = graph.transitions.map(({ source, label, guard, targets, description }) => [
    local(machine, source),
    code(label),
    guard === null || guard === undefined ? '' : code(guard),
    targets.length === 0 ? 'stays' : targets.map((target) => local(machine, target)).join(', '),
    sentence(cell(description)),
  ]);
  const events = Object.entries(graph.events).map(([event, words]) => [code(event), sentence(cell(words))]);
  return `## ${title}

${table(['State', 'Kind', 'Meaning'], states)}

${events.length === 0 ? '' : `${table(['Event', 'Meaning'], events)}\n\n`}${table(
  ['From', 'On', 'If', 'To', 'Meaning'],
  lines,
)}
`;
};

page(
  'machines',
  `# Statecharts

${note}

Every statechart of backend and agent: its states, the events it knows and its transitions. Below each
heading the handbook has a drawing. A running backend draws them at \`/ui/machines\`, with the states each actor is in. [Machines](../machines.md) explains the design.

## Families

One row for each family of actors of a backend, in the order in which they start. [Architecture](../architecture.md#families) explains the columns.

${table(['Family', 'One actor for', 'Record', 'Deadlines', 'Mailbox', 'Restart', 'Under'], families.map(familyRow))}

${allMachines.map(machinePage).join('\n')}`,
);

const flagRow = ({ name, short, value, list, help }) => [
  `${short === undefined ? '' : `${code(`-${short}`)}, `}${code(`--${name}${value === undefined ? '' : ` <${value}>`}`)}`,
  [
    sentence(capital(cell(help))),
    ...(list && !help.includes('list')
      ? ['May be repeated, or hold several values with commas between.']
      : []),
  ].join(' '),
];
const flagTable = (flags) => table(['Flag', 'Meaning'], flags.filter(({ hidden }) => !hidden).map(flagRow));

/** Each command that does something, with the words in front of it. */
const leavesOf = async (specs, above) => {
  const found = [];
  for (const spec of specs) {
    if (spec.hidden) continue;
    const words = `${above} ${spec.name}`;
    const inner = spec.commands ?? (await spec.loadCommands?.()) ?? [];
    if (spec.load !== undefined) found.push({ words, spec });
    found.push(...(await leavesOf(inner, words)));
  }
  return found;
};

/** Its line, its flags and its examples; `heading` is left out where the group is the command. */
const commandText = ({ words, spec }, heading) =>
  [
    ...(heading === undefined ? [] : [heading]),
    `${code(`${words}${spec.args === undefined ? '' : ` ${spec.args}`}`)}: ${sentence(cell(spec.help))}${
      spec.aliases === undefined ? '' : ` Also ${spec.aliases.map(code).join(', ')}.`
    }`,
    ...(spec.flags?.some(({ hidden }) => !hidden) ? [flagTable(spec.flags)] : []),
    ...(spec.examples === undefined ? [] : [`\`\`\`sh\n${spec.examples.join('\n')}\n\`\`\``]),
  ].join('\n\n');

const groups = [];
for (const spec of commandTree.filter(({ hidden }) => !hidden)) {
  const leaves = await leavesOf([spec], 'mon-ctl');
  const isGroup = spec.load === undefined;
  groups.push(
    [
      `## ${spec.name}`,
      ...(isGroup ? [sentence(capital(cell(spec.help)))] : []),
      ...leaves.map((leaf) =>
        commandText(leaf, isGroup ? `### ${leaf.words.replace('mon-ctl ', '')}` : undefined),
      ),
    ].join('\n\n'),
  );
}

page(
  'mon-ctl',
  `# Commands of mon-ctl

${note}

Every command with its flags. \`mon-ctl COMMAND --help\` prints the same; [the command line](../mon-ctl.md) tells how to log in, and what the commands
are good for.

## Flags of every command

Each is a variable, too: \`--api-url\` is \`MON_API_URL\`.

${flagTable(globalFlags)}

${groups.join('\n\n')}
`,
);

const lineTable = (lines, worth) =>
  table(
    ['Line (`msg`)', 'Meaning and what to do'],
    lines
      .filter(([word]) => word === worth)
      .map(([, text, meaning]) => [`\`${text.replaceAll('`', "'")}\``, cell(meaning)]),
  );

const faults = [...faultsOfLines(), ...faultsOfMadeEvents()];
if (faults.length > 0) throw new Error(faults.join('\n'));

page(
  'log-lines',
  `# Log lines

${note}

Every line that backend and agent log with the levels \`error\` and \`fatal\`, and the warnings that are worth a look. \`...\` stands for text that differs;
the other keys of a line say which check, agent or file it is about. How to read and rotate the logs is in [Logs](../running/logs.md).

## Backend: worth an alert

People are not told, data is at risk, or the program ends.

${lineTable(backendLines, 'alert')}

## Backend: look at it within a day

${lineTable(backendLines, 'look')}

## Backend: about one message

${lineTable(backendLines, 'note')}

## Agent: worth an alert

${lineTable(agentLines, 'alert')}

## Agent: look at it within a day

${lineTable(agentLines, 'look')}

## Agent: about one message or run

${lineTable(agentLines, 'note')}
`,
);

/** Without the last column: where the code makes it. */
const eventRows = (rows, more = []) => rows.map((row) => [...row.slice(0, -1), ...more].map(cell));

page(
  'events',
  `# Events that mon makes

${note}

Most events are results of checks. These are made by the backend or the agent itself. Filters and handlers treat them like all others. A test compares
this page with the code.

## About hosts

${table(['Check', 'Made when', 'Status', 'Handlers', 'Kept'], eventRows(hostEvents))}

[Detect silent hosts with keepalives](../guides/keepalives.md) shows them in order.

## About checks

They have the name of the check, and go to its handlers.

${table(['Event', 'Made when', 'Status'], eventRows(checkEvents))}

## Metrics without a check

The StatsD listener of an agent sends one event without a check every \`--statsd-flush-interval\`, to \`--statsd-event-handlers\`. It is handled and not kept.

## About the backend itself

In the namespace \`mon-system\`, of an entity of class \`backend\` with the name of the backend's host. The handler has the name of the check: create it, and
you are told.

${table(['Check', 'Failing when', 'Passes when'], eventRows(backendEvents))}

\`\`\`yaml
type: Handler
api_version: core/v2
metadata: {name: watchdog, namespace: mon-system}
spec: {type: pipe, command: notify-on-call, timeout: 30, filters: [is_incident]}
\`\`\`

## Messages inside

The statecharts of agents, checks and sessions exchange messages, which these pages call events of a machine. [Statecharts](machines.md) lists every one with
its meaning, and draws the machine that takes it.
`,
);

/** What to do about each alert of deploy/prometheus/alerts.yml. */
const advice = {
  MonBackendDown:
    'Look at the service (`systemctl status mon-backend`) and its log; `mon-backend doctor` says what keeps it from starting.',
  MonCommitsFail: 'Free space on the disk, or look at the database. Agents keep their events meanwhile.',
  MonChecksStopped:
    'The watchdog starts them again by itself. If the alert stays, restart the backend and report it with the log.',
  MonFaults: 'Look for `fault:` in the log, and report it with the stack.',
  MonDeliveriesWait:
    '`mon-ctl top` names the slowest handlers. Give them a `timeout`, or raise `--pipelined-workers`.',
  MonDeliveriesRetry: '`mon-ctl event trace` of a failing event says which handler fails, and why.',
  MonDeliveriesDropped: 'The same as for deliveries that wait: handlers are slower than events come.',
  MonSlowCommits:
    'The disk or the database is slow. Compare with `iostat`, and look for other programs that use it.',
  MonHeldUp: 'The machine has too little CPU, swaps, or is suspended. See [Sizing](sizing.md).',
  MonAgentsGone:
    'Look at the network between agents and backend, and at certificates that expired. The log has `agent refused` where they were refused.',
};

const rules = parse(
  readFileSync(new URL('../deploy/prometheus/alerts.yml', import.meta.url), 'utf8'),
).groups.flatMap((group) => group.rules);
for (const name of new Set([...rules.map(({ alert }) => alert), ...Object.keys(advice)]))
  if (advice[name] === undefined || !rules.some(({ alert }) => alert === name))
    throw new Error(
      `the alert ${name} is in only one of deploy/prometheus/alerts.yml and the advice in reference-docs.js`,
    );

const wordsOf = (rule) =>
  sentence(
    capital(
      rule.annotations.summary
        .replaceAll(/\{\{ \$labels\.instance \}\}/g, 'the backend')
        .replaceAll(/\{\{ \$value \}\}/g, 'N')
        .replace('The mon backend the backend', 'The backend'),
    ),
  );

writeDoc(
  'running/alerts.md',
  `# Alerts on mon itself

<!-- keywords: prometheus monitor the backend watchdog alertmanager grafana -->

${note}

A monitoring system that has stopped sends no alerts, so let something else monitor it: Prometheus, or another backend. This page has the rules of
\`deploy/prometheus/alerts.yml\`, with what to do about each. \`GET /metrics\` of the backend needs no login; [Metrics](../metrics.md) lists all of them.

\`\`\`yaml
scrape_configs:
  - job_name: mon-backend
    static_configs:
      - targets: ["mon.example.org:8080"]
rule_files: [/etc/prometheus/mon-alerts.yml]
\`\`\`

| Alert | Condition | For | Severity | What it means, and what to do |
|---|---|---|---|---|
${rules
  .map(
    (rule) =>
      `| \`${rule.alert}\` | \`${cell(rule.expr)}\` | ${rule.for ?? 'at once'} | ${rule.labels.severity} | ${cell(wordsOf(rule))} ${cell(advice[rule.alert])} |`,
  )
  .join('\n')}

\`deploy/grafana/mon.json\` is a dashboard of the same metrics.

## Without Prometheus

- Ask \`/ready\` every minute: 200 while the backend serves, 503 with the reason otherwise.
- The backend reports about itself in the namespace \`mon-system\`: \`watchdog\` when checks stand still, \`configuration\` when definitions cannot work,
  \`earlier-clients\` when messages of such clients are refused. Make handlers of these names there, and people are told. See
  [Events that mon makes](../reference/events.md).
- Alert on the [log lines](../reference/log-lines.md) that are worth it.
- Let a program outside expect a message: a check that always fails, with a handler that pings a dead man's switch every few minutes.
`,
  'reference-docs.js',
);
