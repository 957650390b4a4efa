// Checks that the brokers of the earlier generation are reachable and accept the credentials, with the backend's transport.
import { within } from '../../model/time/within.ts';
import { type BrokerFiles, brokerFromUrl } from '../../wire/earlier/broker-url.ts';
import { createRabbitmqTransport } from '../../wire/earlier/rabbitmq-transport.ts';
import { createRedisTransport } from '../../wire/earlier/redis-transport.ts';
import { type Finding, fail, ok, type Probe } from './finding.ts';
import { reachMs } from './limits.ts';

const area = 'broker';

/** For display: without user and password. */
const shown = (url: string): string => url.replace(/\/\/[^@/]*@/, '//');

const ask = async (url: string, files: BrokerFiles): Promise<Finding> => {
  const broker = brokerFromUrl(url, files);
  const onFault = () => {};
  const transport =
    broker.type === 'redis'
      ? createRedisTransport({ redis: broker.redis, onFault })
      : createRabbitmqTransport({ rabbitmq: broker.rabbitmq, prefetch: 1, onFault });
  const opened = new Promise<string | undefined>((resolve) => {
    transport.open({
      connected: () => resolve(undefined),
      failed: (reason) => resolve(reason),
      lost: (reason) => resolve(reason),
    });
  });
  const why = await within(opened, reachMs, () => `no answer within ${reachMs} ms`);
  await transport.close();
  return why === undefined
    ? ok(area, `${shown(url)} answers`)
    : fail(area, `${shown(url)}: ${why}`, 'start the broker, or correct --earlier-brokers');
};

export const brokerProbes = (urls: readonly string[], files: BrokerFiles): readonly Probe[] =>
  urls
    .flatMap((some) => some.split(/\s+/))
    .filter((url) => url !== '')
    .map((url) => ({ area, ask: async () => [await ask(url, files)] }));
