// The hub as a shared worker: one for all tabs and windows of a browser, there as long as one of them is.
import { createHub } from './hub.ts';
import type { ToHub } from './protocol.ts';

const hub = createHub();

addEventListener('connect', (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port === undefined) return;
  const seat = hub.join({ send: (message) => port.postMessage(message) });
  port.onmessage = ({ data }: MessageEvent<ToHub>) => seat.take(data);
});
