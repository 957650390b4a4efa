// Lines of the logs that say that something is wrong, for docs/reference/log-lines.md: what each means, and whether somebody
// has to be told. `...` stands for text that differs. Every line that backend and agent log with the levels error and fatal is
// here (`faultsOfLines` compares), and those of the level warning that are worth a look.
//
// alert: people are not told, data is at risk, or the program ends: wake somebody up
// look:  something is configured wrong, or a part does not work: look at it within a day
// note:  about one request, one message or one run; many of them are worth a look

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Lines of the backend. */
export const backendLines = [
  // The store.
  [
    'alert',
    'a write to the store failed',
    'The disk is full, or the database does not answer. Nothing that was acknowledged is lost; new events are refused or wait until writes succeed. Look at the disk, or at MongoDB.',
  ],
  [
    'alert',
    'on standby: the database does not respond; retrying',
    'The backend that stands by cannot see the database either. Look at MongoDB.',
  ],
  [
    'alert',
    'another backend took over the store; exiting',
    'This one was stopped or cut off for too long. It ends with status 70 and comes back as a standby. Find out what held it up.',
  ],
  [
    'look',
    'a record cannot be read back',
    'The record is left out and the backend goes on without it. Run `mon-backend check-store`.',
  ],
  [
    'look',
    'a record is damaged and was put aside',
    'The disk or the memory of this machine is not trustworthy. Run `mon-backend check-store --list-aside`, and check the hardware.',
  ],
  [
    'look',
    'a record cannot be restored: it is set aside and its actor starts over',
    'A check or an entity starts without its history. Run `mon-backend check-store --list-aside`.',
  ],
  [
    'look',
    'a resource could not be used',
    'A definition in the store is not valid any more. `key` names it: write it again.',
  ],
  [
    'look',
    'the secrets provider `env` could not be made',
    'The provider of environment variables is missing. Look at the error, then restart.',
  ],
  // The program.
  [
    'alert',
    "the backend can't go on",
    'An internal error that a restart of parts did not mend. The process ends; systemd starts it again. Report it with the stack.',
  ],
  [
    'alert',
    'the supervision tree failed; exiting so that the service manager restarts the backend',
    'The same: too many restarts of parts within a minute.',
  ],
  [
    'alert',
    'supervisor gives up',
    'A part failed more often than its supervisor restarts it; the part above is restarted now.',
  ],
  [
    'look',
    'fault: ...',
    'An internal error; the stack is in `err`. The part that failed was restarted. Report it.',
  ],
  [
    'look',
    'actor failed, restarting it',
    'The same, of one check, entity or handler (`actor`). It is retried with its last durable state.',
  ],
  [
    'look',
    'actor fails too often and is parked',
    'One check or entity is retried only once a minute. Others are not affected. Report it with the stack.',
  ],
  [
    'look',
    'message parked: its actor crashed on it repeatedly; its sender is told not to send it again',
    'One message is put aside. Report it with the stack.',
  ],
  [
    'look',
    '... did not stop cleanly',
    'A part had an error while the backend stopped. Nothing acknowledged is lost.',
  ],
  ['look', 'still stopping after ... ms: ...', 'A part hung while the backend stopped, and was left behind.'],
  [
    'alert',
    '...; leaving with exit code ...',
    'An error that nobody handled. The process ends with status 70 and is started again. Report it with the stack.',
  ],
  [
    'look',
    'this process was held up for ... ms',
    'The machine is overloaded, swaps, or was suspended. Deadlines of silent hosts are pushed back by that time.',
  ],
  [
    'look',
    'the wall clock was set by ... ms',
    'Cron checks and silences follow the clock. Look at its synchronization.',
  ],
  // Checks and people who are told.
  [
    'alert',
    'nobody was notified: ...',
    'A failing event names handlers that do not exist. `skipped` names them.',
  ],
  ['alert', 'not everybody was notified: ...', 'The same, of some of the handlers.'],
  [
    'alert',
    'event handled: ...',
    'With the level error: a handler failed or ran into its timeout; `workflows` has the reason. With the level info the line is ordinary.',
  ],
  [
    'alert',
    'handler keeps failing and is left alone for a while',
    'Five calls in a row failed. Its events wait and are tried again.',
  ],
  [
    'alert',
    'deliveries dropped: too many or too large ones wait for the handlers of this check',
    'Handlers are slower than events come. The least important were dropped.',
  ],
  [
    'alert',
    'checks did not run when they were due, starting them again',
    'The watchdog found checks that stood still. A handler `watchdog` in the namespace `mon-system` is called.',
  ],
  [
    'look',
    'the check is not sent: a secret of it cannot be resolved',
    'The check does not run. Look at the secret and its provider.',
  ],
  [
    'look',
    'secrets will not be transmitted to agents without mutual TLS authentication (mTLS)',
    'The check does not run on that agent; see [Use secrets](../guides/secrets.md#in-checks).',
  ],
  [
    'look',
    'round robin check scheduled, but no available entities',
    'No agent has the subscription, so the check does not run.',
  ],
  [
    'look',
    'some definitions cannot work as they stand',
    '`problems` lists them, as the page does. A handler `configuration` in `mon-system` is called.',
  ],
  [
    'look',
    'an expression of entity_attributes failed and matches nothing',
    'The proxy check does not run for those entities. Correct the expression.',
  ],
  [
    'look',
    'a proxy request could not be built and is left out',
    'A token of the check has no value for that entity. Give it a default.',
  ],
  // API and agents.
  [
    'alert',
    'agent listener failed',
    'Agents cannot connect. Restart the backend; look at its limit of open files.',
  ],
  [
    'alert',
    'events cannot be stored; retrying',
    'An agent waits because writes fail; it keeps its events meanwhile.',
  ],
  [
    'look',
    'agent refused',
    'Wrong password or certificate, entity limit, or a name that another agent has; `why` says which.',
  ],
  [
    'look',
    'the new ... cannot be used; the old ones stay',
    'After SIGHUP: a certificate, key or authority file cannot be read. The old one expires some day.',
  ],
  ['look', 'the new certificates cannot be used; the old ones stay', 'The same, on standby.'],
  ['look', 'stored license is invalid', 'The free entity limit holds.'],
  ['look', 'request failed', 'An internal error (500) of the API. Report it with the stack.'],
  ['look', 'handshake failed', 'An internal error while an agent connected. Report it.'],
  ['look', 'upgrade failed', 'The same.'],
  ['look', 'agent listener request failed', 'The same.'],
  ['look', 'unable to open a session', 'The same; the agent tries again.'],
  ['look', 'unable to process an event', 'The same; the agent sends the event again.'],
  [
    'look',
    'the control socket failed',
    'Backup and upgrade cannot reach this backend until it is restarted.',
  ],
  [
    'look',
    'the encryption key file is accessible to other users of this machine: run chmod 600 on it',
    'Do that, and think about who had access.',
  ],
  // The earlier generation.
  [
    'look',
    'the broker cannot be reached',
    'Clients behind that broker are not heard; they are not called silent meanwhile.',
  ],
  ['look', 'could not listen to clients', 'The same, right after a connection was made. It is tried again.'],
  ['look', 'unable to process a broker message', 'An internal error. Report it with the stack.'],
  ['look', 'unable to process a client message', 'The same, over a WebSocket.'],
  ['look', 'earlier API request failed', 'An internal error of the earlier API. Report it.'],
  ['note', 'unable to send an earlier API response', 'The reader went away.'],
  [
    'look',
    'a ... of a client was dropped',
    'With the level error: an internal error with one message; report it with the stack. With the level warning: the message was refused; `reason` says why.',
  ],
  [
    'note',
    'a ... of a client cannot be taken now, trying again',
    'The store does not take writes at the moment.',
  ],
  [
    'note',
    'message exceeds the configured max message size (--earlier-max-message-size)',
    'A message of a client was refused.',
  ],
  ['note', 'failed to parse ... payload', 'The same: it is not valid JSON, or has fields of the wrong type.'],
  // Warnings.
  [
    'look',
    'asset "..." was requested but does not exist',
    'A check names an asset that is not defined. Agents run it without. Create the asset, or correct the name.',
  ],
  [
    'look',
    'directory login refused: ...',
    'Somebody could not log in through LDAP or Active Directory; the line says why.',
  ],
  [
    'look',
    'OIDC request failed',
    'The issuer did not answer as expected; `why` has its words. Look at the provider and its clock.',
  ],
  [
    'look',
    'traces cannot be sent to the collector',
    'The collector of OpenTelemetry does not answer. Events are not affected.',
  ],
  [
    'look',
    'unable to remove access for other users of this machine',
    'Files of the backend can be read by others. Change their owner or mode.',
  ],
  [
    'look',
    'there is no control socket: backup, upgrade and check-store work only while this backend is stopped',
    'The socket in the state directory could not be made. Look at the rights, and at the length of the path.',
  ],
  [
    'look',
    'unable to tell systemd how this service is: systemd-notify is needed',
    'The unit is of type notify, and the program `systemd-notify` is missing: systemd would restart the service.',
  ],
  [
    'look',
    'mailbox full',
    'More messages came for one actor (`actor`) than its mailbox holds; `rule` says what happened to them. If it stays, the machine is too slow: see [Sizing](../running/sizing.md).',
  ],
  [
    'look',
    'the store holds records of an older format, which are read as before: run `mon-backend upgrade` when it suits you',
    'After an upgrade of the program. Back up, then run it.',
  ],
  [
    'look',
    'the user ... still has the built-in password, and other machines can reach this backend: anyone can send events for any entity. Change it, and start agents with --password <new>',
    'See [Security](../security.md). The line has the commands.',
  ],
  [
    'note',
    'written, with configuration problems',
    'A definition was saved that cannot work as it stands; `warnings` says why. The person who saved it saw the same.',
  ],
  [
    'note',
    'client disconnected: it did not read its response in time',
    'A browser or program stopped reading a large answer.',
  ],
  [
    'note',
    'rejected: too many large responses are still being read',
    'A large request was answered with 503. If it stays, find the client that reads slowly.',
  ],
  [
    'note',
    'invalid client signature',
    'A keepalive of a client of the earlier generation was not signed as before, and was refused.',
  ],
  ['note', 'invalid check result signature', 'The same, of a result.'],
  [
    'note',
    'failed to publish a proxy check request',
    'A token of the check has no value for this client; `unmatched` names it.',
  ],
  [
    'note',
    'the broker is gone; its clients are not called silent meanwhile',
    'The connection to a message broker is lost; it is made again.',
  ],
  [
    'note',
    'created an encryption key; keep a copy of it apart from the store',
    'At the first start. Without this file a backup cannot be used.',
  ],
  [
    'note',
    'on standby: another backend serves this database; this one takes over when it stops',
    'Ordinary, of a second backend.',
  ],
  [
    'note',
    'taking over the database',
    'The backend on standby begins to serve. Find out what happened to the other one.',
  ],
];

/** Lines of the agent. */
export const agentLines = [
  [
    'alert',
    'api queue write failed',
    'The disk of the host is full, or its cache directory cannot be written. Events from programs on the host are refused with 500.',
  ],
  [
    'alert',
    'agent fault',
    'An internal error. The agent ends with status 70; systemd starts it again. Report it with the stack.',
  ],
  [
    'alert',
    'error executing mon-agent',
    'A setting is wrong, or a port is taken: `error` says which. The agent ends with status 1.',
  ],
  [
    'look',
    'reconnection attempt failed',
    'No backend can be reached, or it refuses the agent: `error` says why. The backend reports the host as silent.',
  ],
  [
    'look',
    'the backend rejected an event permanently',
    'The event is dropped. `error` says what is wrong with it.',
  ],
  ['look', 'event dropped: ...', 'Too many events wait for the backend, or one cannot be sent.'],
  ['look', 'event discarded: ... twice', 'An internal error with one event. Report it.'],
  [
    'look',
    'a file of the api queue is damaged: its unreadable events are lost',
    'The disk of the host is not trustworthy.',
  ],
  ['look', 'no event in this file of the api queue can be read; the file was moved aside', 'The same.'],
  ['look', 'unreadable event in the api queue: removed', 'The same.'],
  ['look', '... listener error', 'The TCP or UDP socket on port 3030 does not work.'],
  ['look', 'statsd listener error', 'The StatsD socket does not work.'],
  ['look', 'internal error in the agent API', 'Report it.'],
  ['look', 'agent did not shut down gracefully', 'A part hung while the agent stopped.'],
  ['note', 'transport receive error', 'The connection broke. The agent connects again.'],
  ['note', 'error sending message over websocket', 'The same.'],
  [
    'note',
    'check not executed',
    'Not on the allow list, a missing asset, or a token without a value; the event says the same.',
  ],
  ['note', 'check execution failed', 'An internal error with one run. Report it.'],
  ['note', 'hook not run', 'The same as `check not executed`, of a hook.'],
  [
    'note',
    'error handling message',
    'The backend sent something this agent does not understand: compare the versions.',
  ],
  ['note', 'ignored entity_config of another entity', 'The same.'],
  [
    'note',
    'error getting system info',
    'A fact about the host (its disks, its networks) is missing in the entity.',
  ],
  ['note', 'error queueing message', 'A posted event was refused; its sender got the reason.'],
  ['note', 'invalid event on the TCP socket', 'A program on the host sent something that is no result.'],
  ['note', 'invalid event on the UDP socket', 'The same.'],
  [
    'note',
    'unable to extract metric from check output',
    'The output is not in the format that the check names.',
  ],
  ['note', 'unable to extract metrics from many lines of check output', 'The same.'],
  ['note', 'too many metrics in check output', 'Only the first 15,000 points are sent.'],
  // Warnings.
  [
    'look',
    'the entity stored by the backend differs from the local settings and takes precedence',
    'Flags or settings of this agent have no effect; the following lines name each. Change the entity, or start with `--agent-managed-entity`.',
  ],
  [
    'look',
    'unable to clean up the asset cache',
    'Unused assets stay on the disk. Look at the rights of the cache directory.',
  ],
  [
    'note',
    'entity not filtered from any asset builds, not installing asset',
    'No build of the asset fits this machine: its filters name another system or processor.',
  ],
  [
    'note',
    'event truncated to fit into one message',
    'The event was larger than a message may be; its output was cut.',
  ],
  [
    'note',
    'the api queue ended with a partial write; it was truncated there',
    'The machine stopped while an event was written, before its sender was told that it was accepted.',
  ],
  [
    'note',
    'keepalive pipeline ignored: write core/v2.Pipeline.<name>',
    'A name in `--keepalive-pipelines` has the wrong form.',
  ],
];

const source = fileURLToPath(new URL('../src', import.meta.url));
const folders = [
  'actors',
  'agent',
  'assets',
  'execution',
  'http',
  'main',
  'pipeline',
  'program',
  'secrets',
  'store',
];
/** The client of the earlier generation logs as its predecessor did. */
const isLeftOut = (path) => path.endsWith('main/client.ts');

const filesBelow = (dir) =>
  readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });

/** The last argument of a call, from behind its opening bracket. */
const lastArgument = (text, from) => {
  const args = [''];
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at += 1) {
    const letter = text[at];
    if (quote !== '') {
      if (letter === quote && text[at - 1] !== '\\') quote = '';
    } else if ('\'"`'.includes(letter)) quote = letter;
    else if ('([{'.includes(letter)) depth += 1;
    else if (')]}'.includes(letter)) {
      if (depth === 0) break;
      depth -= 1;
    } else if (letter === ',' && depth === 0) {
      args.push('');
      continue;
    }
    args[args.length - 1] += letter;
  }
  return args.map((arg) => arg.trim()).findLast((arg) => arg !== '') ?? '';
};

/** The text of a literal, with `...` for what is filled in; undefined for a variable. */
const literal = (code) => {
  const quoted = /^(['"`])(.*)\1$/s.exec(code);
  return quoted === null ? undefined : quoted[2].replaceAll(/\$\{[^}]*\}/g, '...').replaceAll("\\'", "'");
};

/** What is wrong with the lists: lines of the code that they do not have, and their lines that the code does not have. */
export const faultsOfLines = () => {
  const known = new Set([...backendLines, ...agentLines].map(([, line]) => line));
  const sources = folders
    .flatMap((folder) => filesBelow(join(source, folder)))
    .filter((path) => !isLeftOut(path))
    .map((path) => readFileSync(path, 'utf8'));
  const logged = sources.flatMap((text) =>
    [...text.matchAll(/\blog\.(?:error|fatal)\(/g)].flatMap(
      ({ 0: call, index }) => literal(lastArgument(text, index + call.length)) ?? [],
    ),
  );
  const whole = sources.join('\n');
  const isLogged = (line) =>
    line
      .split(/\.\.\.|: /)
      .every((part) => whole.includes(part) || whole.includes(part.replaceAll("'", "\\'")));
  return [
    ...new Set(
      logged.filter((line) => !known.has(line)).map((line) => `scripts/log-lines.js misses: ${line}`),
    ),
    ...[...known].filter((line) => !isLogged(line)).map((line) => `no program logs: ${line}`),
  ];
};
