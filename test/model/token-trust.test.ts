// Which values of an entity may stand in a command.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import fc from 'fast-check';
import { entitySchema } from '../../src/model/entity/entity.ts';
import { substituteCommand, tokenData } from '../../src/model/template/token-substitution.ts';
import { guarded, isHarmless, sameAs, trustAnnotation } from '../../src/model/template/token-trust.ts';

const entity = entitySchema.parse({
  metadata: {
    name: 'switch-1',
    namespace: 'default',
    labels: { url: 'x; id > /tmp/f', host: 'a.example', note: 'Rack 12', 'odd;key': 'v' },
    annotations: { flags: '-w 80' },
  },
  subscriptions: ['good', 'bad;one'],
});
const data = tokenData(entity);

const fill = (command: string, isTrusted: Parameters<typeof substituteCommand>[2] = () => false, more = {}) =>
  substituteCommand({ command, env_vars: ['URL={{ .labels.url }}'], ...more }, data, isTrusted);

test('a value a shell may read as syntax does not come into a command, wherever and however it is named', () => {
  for (const command of [
    'check {{ .labels.url }}',
    'check "{{ .labels.url }}"',
    'sh -c \'check {{ .labels.url | default "y" }}\'',
    '{{ index .labels "url" }}',
    '{{ range $k, $v := .labels }}{{ $v }}{{ end }}',
    '{{ printf "%s" .labels.url }}',
    '{{ $x := .labels }}{{ $x.url }}',
    '{{ .labels }}',
    '{{ range .subscriptions }}{{ . }}{{ end }}',
    'check {{ .annotations.flags }}',
    'check {{ .labels.note }}',
  ]) {
    const filled = fill(command);
    assert.ok(!filled.ok, command);
    assert.match(
      filled.message,
      /^command: the value of \.\w+(\.\w+)? came with an event and contains characters/,
    );
  }
});

test('harmless values come into a command, and any value into variables and other texts', () => {
  const filled = fill('check -H {{ .labels.host }} -n {{ .name }}');
  assert.ok(filled.ok);
  assert.deepEqual(
    [filled.value.command, filled.value.env_vars],
    ['check -H a.example -n switch-1', ['URL=x; id > /tmp/f']],
  );
});

test('a trusted value comes as it is: an operator wrote it, the check says so, or this machine says the same', () => {
  const command = 'check {{ .labels.url }}';
  const whole = 'check x; id > /tmp/f';
  const texts = [
    fill(command, () => true),
    substituteCommand({ command }, data, undefined),
    fill(command, () => false, { metadata: { annotations: { [trustAnnotation]: 'true' } } }),
    fill(command, sameAs(data)),
  ];
  assert.deepEqual(
    texts.map((filled) => filled.ok && filled.value.command),
    [whole, whole, whole, whole],
  );
  const elsewhere = sameAs({ annotations: { url: 'x; id > /tmp/f' } });
  assert.equal(fill(command, elsewhere).ok, false);
});

test('a key that could do harm is not listed', () => {
  const { labels } = guarded(data, () => false) as { labels: object };
  assert.deepEqual(Object.keys(labels).includes('odd;key'), false);
});

test('no harmless value does anything in a shell but stand there', () => {
  const character = fc.constantFrom(...'aZ09_./:@+,=?-é"\'`$\\;&|<>(){}[]*~#!% \n\t^');
  fc.assert(
    fc.property(fc.array(character, { maxLength: 8 }), (characters) => {
      const value = characters.join('');
      if (!isHarmless(value)) return;
      const script = `set -f; printf '%s\\n' x${value} "x${value}" 'x${value}'`;
      const shell = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
      assert.equal(shell.stdout, `x${value}\n`.repeat(3), value);
    }),
    { numRuns: 300, seed: 11 },
  );
  for (const value of ['-x', '--exec=y', 'a b', '$(id)', '{{ .name }}', '%PATH%', 'a\nb', '~root', '*'])
    assert.equal(isHarmless(value), false, value);
  for (const value of ['', '-5', 'https://h:80/p?a=b', 'user@host', 'größe', '10.0.0.1', '2001:db8::1'])
    assert.equal(isHarmless(value), true, value);
});
