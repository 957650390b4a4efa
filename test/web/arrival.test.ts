// A login comes back to the tab that began it, and to no other: a link with tokens of somebody else logs nobody in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressWithNonce, arrivalAt, newNonce } from '../../web/src/lib/arrival.ts';

const token = `x.${Buffer.from(JSON.stringify({ sub: 'ada' })).toString('base64url')}.y`;
const hash = `#access_token=${token}&expires_at=1700000000&refresh_token=r`;

test('tokens are taken by the tab that left for them', () => {
  const nonce = newNonce();
  const address = new URL(
    addressWithNonce('/authorize?provider=okta&callback=%2Fui%2F', 'https://mon.example', nonce),
  );
  assert.equal(address.searchParams.get('provider'), 'okta');
  const back = new URL(address.searchParams.get('callback') ?? '', 'https://mon.example');
  assert.equal(back.pathname, '/ui/');
  const found = arrivalAt({ hash, search: back.search }, nonce);
  assert.deepEqual(found, {
    type: 'loggedIn',
    user: 'ada',
    tokens: { access_token: token, refresh_token: 'r', expires_at: 1_700_000_000 },
  });
});

test('a link with tokens logs nobody in, whatever else it carries', () => {
  const nonce = newNonce();
  const links: readonly (readonly [search: string, begun: string | null])[] = [
    ['', null],
    ['', ''],
    ['?login=', ''],
    [`?login=${nonce}`, null],
    ['?login=guess', nonce],
    ['', nonce],
  ];
  for (const [search, begun] of links)
    assert.equal(arrivalAt({ hash, search }, begun)?.type, 'refused', `${search} ${begun}`);
});

test('what a link says as an error is not shown as one of ours', () => {
  const forged = { hash: '#error=x&error_description=Call+0900+123', search: '' };
  const found = arrivalAt(forged, null);
  assert.ok(found?.type === 'refused' && !found.why.includes('0900'));
  const nonce = newNonce();
  assert.deepEqual(arrivalAt({ ...forged, search: `?login=${nonce}` }, nonce), {
    type: 'refused',
    why: 'Call 0900 123',
  });
});

test('a page that was opened by no login says nothing', () => {
  assert.equal(arrivalAt({ hash: '', search: '?login=x' }, 'x'), undefined);
  assert.equal(arrivalAt({ hash: '#events', search: '' }, null), undefined);
});
