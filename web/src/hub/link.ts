// How this tab reaches the hub: a shared worker; without one, the tab that holds a lock is the hub for the others, over a
// channel; without locks either (plain HTTP in a browser without shared workers), each tab has a hub of its own.
import { createHub } from './hub.ts';
import type { FromHub, Seat, ToHub } from './protocol.ts';

export type Send = (message: ToHub) => void;

/** `isAlone`: to a hub of its own, with a login that no other tab knows. */
export const openLink = (receive: (message: FromHub) => void, isAlone: boolean): Send => {
  if (isAlone) return throughOwn(receive, true);
  if (typeof SharedWorker !== 'undefined') return throughWorker(receive);
  const locks = (navigator as Partial<Navigator>).locks;
  if (locks !== undefined && typeof BroadcastChannel !== 'undefined') return throughLeader(locks, receive);
  return throughOwn(receive, false);
};

const throughOwn = (receive: (message: FromHub) => void, isAlone: boolean): Send => {
  const seat = createHub(isAlone).join({ send: receive });
  return (message) => seat.take(message);
};

const throughWorker = (receive: (message: FromHub) => void): Send => {
  const worker = new SharedWorker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'mon' });
  worker.port.onmessage = ({ data }: MessageEvent<FromHub>) => receive(data);
  return (message) => worker.port.postMessage(message);
};

type Passed =
  | { readonly to: 'hub'; readonly from: string; readonly message: ToHub }
  | { readonly to: 'tab'; readonly tab: string; readonly message: FromHub }
  | { readonly to: 'all' };

const throughLeader = (locks: LockManager, receive: (message: FromHub) => void): Send => {
  const channel = new BroadcastChannel('mon.hub');
  const pass = (passed: Passed): void => channel.postMessage(passed);
  const me = Math.random().toString(36).slice(2);
  let own: Seat | undefined;
  const seats = new Map<string, Seat>();
  let seatOf = (_tab: string): Seat | undefined => undefined;

  channel.onmessage = ({ data }: MessageEvent<Passed>) => {
    if (data.to === 'hub') seatOf(data.from)?.take(data.message);
    else if (data.to === 'all') receive({ type: 'again' });
    else if (data.tab === me) receive(data.message);
  };
  void locks.request('mon.hub', () => {
    const hub = createHub();
    own = hub.join({ send: receive });
    seatOf = (tab) => {
      const seat = seats.get(tab) ?? hub.join({ send: (message) => pass({ to: 'tab', tab, message }) });
      seats.set(tab, seat);
      return seat;
    };
    pass({ to: 'all' });
    receive({ type: 'again' });
    // Until this tab ends.
    return new Promise(() => {});
  });
  return (message) => {
    if (own !== undefined) own.take(message);
    else pass({ to: 'hub', from: me, message });
  };
};
