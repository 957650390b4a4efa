// Sends events to the agent and to the backend of a machine until it is told to stop, then prints the names of those that were
// accepted. Runs on the host, inside the machine's network. Usage: try-load.js API-KEY; a line on standard input ends it.
import { setTimeout as sleep } from 'node:timers/promises';

const [, , key] = process.argv;
const accepted = { agent: [], backend: [] };
let going = true;
process.stdin.once('data', () => {
  going = false;
});

const checkOf = (name) => ({
  metadata: { name, namespace: 'default' },
  status: 0,
  output: name,
  interval: 60,
});

const send = async (url, body, headers = {}) => {
  try {
    const signal = AbortSignal.timeout(5_000);
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify(body), headers, signal });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
};

const post = {
  agent: (name) => send('http://127.0.0.1:3031/events', { check: checkOf(name) }),
  backend: (name) =>
    send(
      'http://127.0.0.1:8080/api/core/v2/namespaces/default/events',
      { entity: { metadata: { name: 'posted' }, entity_class: 'proxy' }, check: checkOf(name) },
      { authorization: `Key ${key}`, 'content-type': 'application/json' },
    ),
};

for (let n = 0; going; n += 1) {
  for (const way of ['agent', 'backend'])
    if (await post[way](`${way}-${n}`)) accepted[way].push(`${way}-${n}`);
  await sleep(100);
}
console.log(JSON.stringify(accepted));
process.exit(0);
