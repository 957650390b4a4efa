// Forty protocol vectors, and the tests that cover each. Fails if a vector has no test, or a named test does not
// exist.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const edge = 'http/edge.test.ts';
const dialect = 'acceptance/agent-dialect.test.ts';
const program = 'acceptance/agent-program.test.ts';
const agent = 'agent/agent.test.ts';
const assets = 'assets/asset-store.test.ts';
const inputs = 'agent/local-inputs.test.ts';
const metrics = 'agent/metrics.test.ts';
const statsd = 'agent/statsd.test.ts';

const refusals = 'handshakes are refused in the order of the reference product, with its texts';
const localRefusal = 'is refused with the reason`';

/** Number, what is given, and where it is held: file and words of a title, or of a line of a table of cases. */
const vectors: readonly (readonly [number, string, ...(readonly [string, string])[]])[] = [
  [1, 'no Authorization', [edge, refusals], [edge, "[401, 'missing credentials', withoutCredentials]"]],
  [2, 'an unknown namespace', [edge, refusals], [edge, '[404, \'namespace "nowhere" not found\'']],
  [3, 'a user who may not create events', [edge, refusals], [edge, "[403, 'Forbidden', { ...headers"]],
  [4, 'Accept: application/json', [dialect, 'an unmodified reference agent is at home with our backend']],
  [
    5,
    'the first keepalive',
    [dialect, 'an unmodified reference agent is at home with our backend'],
    ['machines/entity-machine.test.ts', 'registers an agent with its first keepalive and announces it once'],
  ],
  [6, 'healthz before and after', [inputs, 'healthz says whether there is a backend']],
  [
    7,
    'the first frame of the agent',
    [agent, 'the first frame of a session is a keepalive with sequence 1'],
    [
      'agent/session.test.ts',
      'without an entity configuration the agent goes on with its own after ten seconds',
    ],
  ],
  [8, 'a request before the entity configuration', [agent, 'before the entity configuration is dropped']],
  [9, 'the same request twice', [agent, 'the same request twice is run once']],
  [
    10,
    'a command past its timeout',
    ['agent/executor.test.ts', 'a command past its timeout is ended with status 2'],
  ],
  [11, 'a missing command', ['agent/executor.test.ts', 'a command that is not found ends with 127']],
  [12, 'a token without a value', [agent, 'a token without a value fails the check before anything is run']],
  [
    13,
    'a token with a default',
    ['model/token-substitution.test.ts', "['{{ .labels.nope | default 80 }}', '80']"],
    ['model/token-substitution.test.ts', "['[{{ .labels.empty | default 80 }}]', '[]']"],
  ],
  [
    14,
    'a hook that two lists name',
    [agent, 'hooks: they run for the status they name, each once, in order'],
  ],
  [15, 'a hook nobody defined', [agent, 'hook gone: missing hook config']],
  [16, 'an asset with another checksum', [assets, 'is refused with the reason and leaves nothing behind']],
  [
    17,
    'no build for this machine',
    [assets, 'the first build whose filters match is used; no match is not an error'],
  ],
  [
    18,
    'a command not on the allow list',
    ['agent/assets.test.ts', 'a command that is not on the allow list is not run'],
  ],
  [19, 'graphite', [metrics, 'graphite: the tags of the check come before those of the series']],
  [20, 'nagios', [metrics, 'nagios: perfdata gets the time of the check']],
  [21, 'influx', [metrics, 'influxdb: one point a field, the first ten digits of the time are seconds']],
  [22, 'opentsdb', [metrics, 'opentsdb: milliseconds become seconds, a tag is needed']],
  [23, 'prometheus', [metrics, 'prometheus: labels, type and help become tags']],
  [24, 'a threshold', [metrics, 'a value beyond its bound raises the status and says so on the event']],
  [25, 'POST {}', [inputs, localRefusal], [inputs, "['neither check nor metrics', {}"]],
  [26, 'a check name with a blank', [inputs, localRefusal], [inputs, 'a name with a blank']],
  [27, 'a ttl too small', [inputs, 'a ttl not above the interval'], [inputs, 'a ttl below five seconds']],
  [28, 'an event of another entity', [inputs, 'goes out as a result for a proxy of that name']],
  [
    29,
    'events while there is no backend',
    [inputs, 'outlive the agent and go out in order, each once'],
    ['agent/queues.test.ts', 'a bucket gives its burst at once and then its rate'],
    ['acceptance/agent-relay.test.ts', 'ten thousand events survive'],
  ],
  [30, 'a result over TCP', [inputs, 'a result on the TCP socket is answered as soon as it is whole']],
  [31, 'a ping', [inputs, 'a ping is answered with pong']],
  [32, 'rubbish, kept open', [inputs, 'rubbish on a TCP connection that stays open']],
  [33, 'a result without output', [inputs, 'a result without output or status with nothing']],
  [34, 'UDP: invalid, then valid', [inputs, 'an invalid datagram does not deafen the UDP socket']],
  [35, 'a counter', [statsd, 'a counter is summed and divided by the time since the last flush']],
  [36, 'a timer', [statsd, 'a timer tells its distribution']],
  [
    37,
    'a backend gone in silence',
    ['agent/connection.test.ts', 'a silent backend is left after the heartbeat'],
  ],
  [38, 'SIGUSR1', [program, 'SIGUSR1 steps through the log levels, for every part of the agent']],
  [39, 'SIGTERM', [program, 'SIGTERM says goodbye to the backend and ends with 0']],
  [
    40,
    'a critical timeout below the warning one',
    ['agent/config.test.ts', 'must be greater than --keepalive-warning-timeout'],
    [program, 'a setting that is wrong ends the program with 1'],
  ],
];

test('there are forty vectors, numbered through', () => {
  assert.deepEqual(
    vectors.map(([number]) => number),
    Array.from({ length: 40 }, (_, at) => at + 1),
  );
});

const texts = new Map<string, string>();
const textOf = (file: string): string => {
  const text = texts.get(file) ?? readFileSync(join(process.cwd(), 'test', file), 'utf8');
  texts.set(file, text);
  return text;
};

for (const [number, given, ...holders] of vectors)
  test(`vector ${number}, ${given}, is held by a test`, () => {
    assert.ok(holders.length > 0);
    for (const [file, words] of holders)
      assert.ok(textOf(file).includes(words), `test/${file} has no longer: ${words}`);
  });
