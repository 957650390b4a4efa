// Tokens: the vectors of the reference product, the language, and that no template runs away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assetPathVariable,
  substituteAsset,
  substituteText,
  substituteTokens,
  tokenData,
} from '../../src/model/template/token-substitution.ts';
import { fc } from '../property.ts';
import { bad, event, good } from './samples.ts';

const { entity } = event(
  {},
  {
    subscriptions: ['linux', 'web'],
    last_seen: 1_700_000_000,
    metadata: {
      name: 'web-01',
      namespace: 'default',
      labels: { region: 'eu', 'cpu.threshold': '90', empty: '', html: '<a&b>' },
    },
    system: { os: 'linux', network: { interfaces: [{ name: 'eth0', addresses: ['10.0.0.2/24'] }] } },
  },
);
const data = tokenData(entity);

const rendered = (text: string): string => good(substituteText('command', text, data));
const refused = (text: string): string => bad(substituteText('command', text, data));

const vectors: readonly (readonly [string, string])[] = [
  ['{{ .name }} in {{ .namespace }}', 'web-01 in default'],
  ['{{.labels.region}}', 'eu'],
  ['{{ .labels.nope | default 80 }}', '80'],
  ['{{ .labels.nope | default "a b" }}', 'a b'],
  ['{{ .labels.region | default "x" }}', 'eu'],
  ['[{{ .labels.empty | default 80 }}]', '[]'],
  ['{{ default "x" .labels.nope }}', 'x'],
  ['{{ index .labels "cpu.threshold" | default 80 }}', '90'],
  ['{{ index .labels "cpu.none" | default 80 }}', '80'],
  ['{{ .system.os }} {{ .last_seen }} {{ .deregister }}', 'linux 1700000000 false'],
  ['{{ .subscriptions }}', '[linux web]'],
  ['{{ .labels }}', 'map[cpu.threshold:90 empty: html:<a&b> region:eu]'],
  ['{{ index .subscriptions 1 }}', 'web'],
  ['{{ (index .system.network.interfaces 0).name }}', 'eth0'],
  ["awk '{print $1}'", "awk '{print $1}'"],
  ['a } b }} c', 'a } b }} c'],
  ['a {{- " b " -}} c', 'a b c'],
  ['x {{/* a comment */}} y', 'x  y'],
  ['x {{- /* a comment */ -}} y', 'xy'],
  ['{{ if .labels.nope }}a{{ else }}b{{ end }}', 'b'],
  ['{{ if eq .name "x" }}a{{ else if eq .name "web-01" "y" }}b{{ else }}c{{ end }}', 'b'],
  ['{{ with .labels.nope }}a{{ else }}b{{ end }}', 'b'],
  ['{{ with .labels }}{{ .region }} {{ $.name }}{{ end }}', 'eu web-01'],
  ['{{ range .subscriptions }}<{{ . }}>{{ end }}', '<linux><web>'],
  ['{{ range $i, $s := .subscriptions }}{{ if $i }},{{ end }}{{ $i }}{{ $s }}{{ end }}', '0linux,1web'],
  [
    '{{ range $k, $v := .labels }}{{ $k }}={{ $v }};{{ end }}',
    'cpu.threshold=90;empty=;html=<a&b>;region=eu;',
  ],
  ['{{ range .annotations }}a{{ else }}none{{ end }}', 'none'],
  ['{{ range .subscriptions }}{{ if eq . "web" }}{{ break }}{{ end }}{{ . }}{{ end }}', 'linux'],
  ['{{ range .subscriptions }}{{ if eq . "linux" }}{{ continue }}{{ end }}{{ . }}{{ end }}', 'web'],
  ['{{ $x := .name }}{{ $x }}{{ $x = "y" }}{{ $x }}', 'web-01y'],
  ['{{ $x := "a" }}{{ if true }}{{ $x := "b" }}{{ $x }}{{ end }}{{ $x }}', 'ba'],
  ['{{ $x := "a" }}{{ if true }}{{ $x = "b" }}{{ end }}{{ $x }}', 'b'],
  ['{{ and .name .labels.empty }}|{{ or .labels.empty .name }}|{{ not .name }}', '|web-01|false'],
  ['{{ if and true (or false 1) }}yes{{ end }}', 'yes'],
  ['{{ len .subscriptions }} {{ len .name }} {{ len "é" }}', '2 6 2'],
  ['{{ slice .name 0 3 }} {{ slice .subscriptions 1 }}', 'web [web]'],
  ['{{ print "a" 1 2 "b" }}|{{ println "a" 1 }}|', 'a1 2b|a 1\n|'],
  [
    '{{ printf "%s-%d %v %q %5.2f|%-5s|%05d|%x|%t|%%" "a" 7 true "q" 3.14159 "l" 42 255 false }}',
    'a-7 true "q"  3.14|l    |00042|ff|false|%',
  ],
  [
    '{{ printf "%d" "x" }} {{ printf "%s" }} {{ printf "a" 1 }}',
    '%!d(string=x) %!s(MISSING) a%!(EXTRA int=1)',
  ],
  [
    '{{ .labels.html | html }} {{ urlquery "a b&c" }} {{ js "it\'s <b>" }}',
    "&lt;a&amp;b&gt; a+b%26c it\\'s \\u003Cb\\u003E",
  ],
  [
    '{{ eq 1 1 }} {{ ne "a" "b" }} {{ lt 1 2 }} {{ le 2 2 }} {{ gt "b" "a" }} {{ ge 1 2 }}',
    'true true true true true false',
  ],
  [
    '{{ 0x1F }} {{ -1.5 }} {{ 1e3 }} {{ 0.00001 }} {{ \'a\' }} {{ `raw "s"` }} {{ "\\t\\u00e9" }}',
    '31 -1.5 1000 1e-05 97 raw "s" \té',
  ],
  ['\u0024{{assetPath "acme/http-checks"}}', '$ACME_HTTP_CHECKS_PATH'],
  ['{{ .labels.region | printf "%s-%s" "x" }}', 'x-eu'],
  ['{{ "multi\\nline" }}', 'multi\nline'],
];

test('templates fill in what the reference product fills in', () => {
  for (const [text, wanted] of vectors) assert.equal(rendered(text), wanted, text);
});

const unmatched = 'command: unmatched token: template: command:';
const notRead = 'command: could not parse the template: template: command:';
const notRun = 'could not execute the template: template: command:';

const failures: readonly (readonly [string, string])[] = [
  [
    'echo {{ .labels.nope }}',
    `${unmatched}1:15: executing "command" at <.labels.nope>: map has no entry for key "nope"`,
  ],
  [
    '{{.labels.nope}}',
    `${unmatched}1:9: executing "command" at <.labels.nope>: map has no entry for key "nope"`,
  ],
  ['{{ .nope }}', `${unmatched}1:3: executing "command" at <.nope>: map has no entry for key "nope"`],
  ['é\nx {{ .nope }}', `${unmatched}2:5: executing "command" at <.nope>: map has no entry for key "nope"`],
  ['é {{ .nope }}', `${unmatched}1:6: executing "command" at <.nope>: map has no entry for key "nope"`],
  [
    '{{ .labels.nope.deeper }}',
    `${unmatched}1:10: executing "command" at <.labels.nope.deeper>: map has no entry for key "nope"`,
  ],
  [
    '{{ if true }}{{ .labels.nope }}{{ end }}',
    `${unmatched}1:23: executing "command" at <.labels.nope>: map has no entry for key "nope"`,
  ],
  [
    '{{ printf "%s" .labels.nope }}',
    `${unmatched}1:22: executing "command" at <.labels.nope>: map has no entry for key "nope"`,
  ],
  [
    '{{ index .labels "cpu.none" }}',
    'command: unmatched token: found an undefined value but could not identify the token',
  ],
  ['{{ .labels.a-b }}', `${notRead}1: bad character U+002D '-'`],
  ['{{ bogus 1 }}', `${notRead}1: function "bogus" not defined`],
  ['{{ .name', `${notRead}1: unclosed action`],
  ['\n{{ .name\n', `${notRead}3: unclosed action started at command:2`],
  ['{{ "a }}', `${notRead}1: unterminated quoted string`],
  ['{{ /* a }}', `${notRead}1: unexpected "/" in command`],
  ['{{/* a }}', `${notRead}1: unclosed comment`],
  ['{{}}', `${notRead}1: missing value for command`],
  ['{{ if }}a{{ end }}', `${notRead}1: missing value for if`],
  ['{{ .name | }}', `${notRead}1: missing value for command`],
  ['{{ .name | 3 }}', `${notRead}1: non executable command in pipeline stage 2`],
  ['{{ $x }}', `${notRead}1: undefined variable "$x"`],
  ['{{ end }}', `${notRead}1: unexpected {{end}}`],
  ['{{ if .name }}', `${notRead}1: unexpected EOF`],
  ['{{ break }}', `${notRead}1: {{break}} outside {{range}}`],
  ['{{ template "x" }}', `${notRead}1: {{template}} is not supported`],
  [
    '{{ index .subscriptions 5 }}',
    `${notRun}1:3: executing "command" at <index .subscriptions 5>: error calling index: index out of range: 5`,
  ],
  [
    '{{ .name.first }}',
    `${notRun}1:8: executing "command" at <.name.first>: can't evaluate field first in type string`,
  ],
  [
    '{{ lt 1 "a" }}',
    `${notRun}1:3: executing "command" at <lt 1 "a">: error calling lt: incompatible types for comparison`,
  ],
  [
    '{{ range .name }}{{ end }}',
    `${notRun}1:9: executing "command" at <.name>: range can't iterate over web-01`,
  ],
  ['{{ .name "x" }}', `${notRun}1:3: executing "command" at <.name>: name is not a method but has arguments`],
  [
    '{{ slice .name 3 99 }}',
    `${notRun}1:3: executing "command" at <slice .name 3 99>: error calling slice: slice bounds out of range [3:99]`,
  ],
];

test('errors have the messages of the reference product', () => {
  for (const [text, wanted] of failures) {
    if (wanted.includes('unexpected "/"')) {
      assert.match(refused(text), /unrecognized character in action: U\+002F '\/'$/);
      continue;
    }
    assert.equal(refused(text), wanted, text);
  }
});

test('a literal <no value> is text like any other', () => {
  assert.equal(rendered('echo "<no value>" {{ .name }}'), 'echo "<no value>" web-01');
});

test('names of the prototype are missing keys', () => {
  for (const key of ['constructor', '__proto__', 'toString']) {
    assert.match(refused(`{{ .labels.${key} }}`), new RegExp(`map has no entry for key "${key}"`));
    assert.equal(rendered(`{{ .${key} | default "none" }}`), 'none');
  }
});

const check = {
  command: 'check {{ .labels.region }}',
  interval: 60,
  publish: true,
  env_vars: ['A={{ .name }}'],
  proxy_requests: null,
  metadata: { name: 'cpu', labels: { '{{ .name }}': '{{ .name }}' } },
};

test('every string of a check is filled in, and nothing else', () => {
  assert.deepEqual(good(substituteTokens(check, data)), {
    command: 'check eu',
    interval: 60,
    publish: true,
    env_vars: ['A=web-01'],
    proxy_requests: null,
    metadata: { name: 'cpu', labels: { '{{ .name }}': 'web-01' } },
  });
});

test('a failure inside a list names the list and the place in it', () => {
  const broken = { ...check, env_vars: ['A=b', 'B={{ .nope }}'] };
  assert.equal(
    bad(substituteTokens(broken, data)),
    `couldn't evaluate template for env_vars: env_vars: unmatched token: template: env_vars:1:5: executing "env_vars" at <.nope>: map has no entry for key "nope" (array 1)`,
  );
});

test('checksums of assets are never templates', () => {
  const asset = {
    url: 'https://h/{{ .system.os }}.tgz',
    sha512: '{{ .nope }}',
    builds: [{ url: '{{ .name }}', sha512: '{{ .nope }}', headers: { a: '{{ .labels.region }}' } }],
  };
  assert.deepEqual(good(substituteAsset(asset, data)), {
    url: 'https://h/linux.tgz',
    sha512: '{{ .nope }}',
    builds: [{ url: 'web-01', sha512: '{{ .nope }}', headers: { a: 'eu' } }],
  });
});

test('the variable of an asset is its name in capitals', () => {
  assert.equal(assetPathVariable('acme/http-checks'), 'ACME_HTTP_CHECKS_PATH');
  assert.equal(assetPathVariable('a--b.c'), 'A_B_C_PATH');
});

test('a template that would run for long is stopped', () => {
  const many = { ...data, subscriptions: Array.from({ length: 1000 }, (_, i) => `s${i}`) };
  const loops = `${'{{ range $.subscriptions }}'.repeat(4)}x${'{{ end }}'.repeat(4)}`;
  assert.match(bad(substituteText('command', loops, many)), /more than 100000 steps$/);
  const doubling = '{{ $x := "xxxxxxxx" }}{{ range .subscriptions }}{{ $x = print $x $x }}{{ end }}{{ $x }}';
  assert.match(
    bad(substituteText('command', doubling, many)),
    /(text longer than|more than) \d+ (characters|steps)$/,
  );
  const wide = `{{ $x := printf "%1000s" "x" }}{{ print ${'$x '.repeat(2000)}}}`;
  assert.match(bad(substituteText('command', wide, many)), /text longer than 1048576 characters$/);
  const formatted = `{{ $x := printf "%1000s" "x" }}{{ printf "${'%s'.repeat(2000)}" ${'$x '.repeat(2000)}}}`;
  assert.match(bad(substituteText('command', formatted, many)), /text longer than 1048576 characters$/);
  const long = `{{ range .subscriptions }}{{ printf "%1000000s" "x" }}{{ printf "%1000000s" "x" }}{{ end }}`;
  assert.match(
    bad(substituteText('command', long, many)),
    /(output longer than|more than) \d+ (characters|steps)$/,
  );
  assert.match(refused(`${'{{ if true }}'.repeat(100)}x`), /nested deeper than 64 levels$/);
  assert.match(refused(`{{ ${'('.repeat(5000)} }}`), /nested deeper than 64 levels$/);
});

const piece = fc.constantFrom(
  ...['{{', '}}', '{{-', '-}}', '.', '.name', '.labels', '$', '$x', ':=', '=', '|', '(', ')', '"', '`', "'"],
  ...[
    'if',
    'else',
    'end',
    'range',
    'with',
    'index',
    'printf',
    'default',
    '/*',
    '*/',
    ' ',
    '\n',
    '1',
    ',',
    'é',
  ],
);

test('property: any text is filled in or refused with a message, never thrown at', () => {
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(' '));
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
      ),
      (source) => {
        const result = substituteText('command', source, data);
        if (!result.ok) assert.match(result.message, /^(command: |could not execute the template: )/);
      },
    ),
    { numRuns: 2000 },
  );
});

test('property: text without double braces is left alone', () => {
  const plain = fc.string().filter((text) => !text.includes('{{'));
  fc.assert(fc.property(plain, (text) => assert.equal(rendered(text), text)));
});
