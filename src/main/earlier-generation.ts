// Serves clients of the earlier generation, if configured: their API with its WebSocket, and bridges to existing
// brokers.
import type { Backend } from '../actors/backend.ts';
import { openBridge } from '../actors/families/client/broker-bridge.ts';
import { realClock } from '../actors/runtime/time/clock.ts';
import type { Authenticator } from '../http/auth/authenticator.ts';
import { createEarlierApi } from '../http/earlier-api/server.ts';
import type { MetricBook } from '../http/metric-book.ts';
import type { SilencingLimits } from '../http/routes/silenced.ts';
import type { TlsOptions } from '../http/tls.ts';
import { component, errorText, type Logger } from '../program/log.ts';
import { SettingsError } from '../program/resolve.ts';
import { version } from '../program/version.ts';
import { type BrokerFiles, brokerFromUrl, type NamedBroker } from '../wire/earlier/broker-url.ts';
import { maxMessagesInHand } from '../wire/earlier/limits.ts';
import { brokerAddresses } from '../wire/earlier/rabbitmq-address.ts';
import { createRabbitmqTransport } from '../wire/earlier/rabbitmq-transport.ts';
import { redisOptions } from '../wire/earlier/redis-options.ts';
import { createRedisTransport } from '../wire/earlier/redis-transport.ts';
import type { Transport } from '../wire/earlier/transport.ts';

export interface EarlierSettings {
  readonly earlierApiHost: string;
  /** 0 means disabled. */
  readonly earlierApiPort: number;
  readonly earlierBrokers: readonly string[];
  /** Bytes. */
  readonly earlierMaxMessageSize: number;
  readonly earlierBrokersCaFile: string;
  readonly earlierBrokersCertFile: string;
  readonly earlierBrokersKeyFile: string;
}

export interface EarlierGeneration {
  /** The API port; undefined if disabled. */
  readonly port: number | undefined;
  renewCertificate(tls: TlsOptions | undefined): void;
  close(): Promise<void>;
}

const named = (url: string, files: BrokerFiles): NamedBroker => {
  try {
    const broker = brokerFromUrl(url, files);
    // Validate the options at startup.
    if (broker.type === 'redis') redisOptions(broker.redis);
    else brokerAddresses(broker.rabbitmq);
    return broker;
  } catch (error) {
    throw new SettingsError(`--earlier-brokers: ${errorText(error)}`);
  }
};

const transportOf = (broker: NamedBroker, log: Logger): Transport => {
  const onFault = (error: unknown) => log.error({ err: error }, 'unable to process a broker message');
  return broker.type === 'redis'
    ? createRedisTransport({ redis: broker.redis, onFault })
    : createRabbitmqTransport({ rabbitmq: broker.rabbitmq, prefetch: maxMessagesInHand, onFault });
};

export const serveEarlierGeneration = async (options: {
  readonly settings: EarlierSettings;
  readonly backend: Backend;
  readonly authenticator: Authenticator;
  readonly tls: TlsOptions | undefined;
  readonly silencing: SilencingLimits;
  /** Receives the gauges of the earlier API. */
  readonly metrics: Pick<MetricBook, 'gauge'>;
  readonly log: Logger;
}): Promise<EarlierGeneration> => {
  const { settings, backend, authenticator, tls } = options;
  const log = component(options.log, 'earlier');
  const files: BrokerFiles = {
    caFile: settings.earlierBrokersCaFile,
    certFile: settings.earlierBrokersCertFile,
    keyFile: settings.earlierBrokersKeyFile,
  };
  // One flag may contain several URLs separated by spaces, as in an environment variable.
  const urls = settings.earlierBrokers.flatMap((some) => some.split(/\s+/)).filter((url) => url !== '');
  const transports = urls.map((url) => transportOf(named(url, files), log));
  const api =
    settings.earlierApiPort === 0
      ? undefined
      : createEarlierApi({
          backend,
          authenticator,
          log,
          wallMs: () => realClock.wallMs(),
          version,
          tls,
          silencing: options.silencing,
          maxMessageBytes: settings.earlierMaxMessageSize,
          metrics: options.metrics,
        });
  const address = await api?.listen(settings.earlierApiHost, settings.earlierApiPort);
  const bridges = transports.map((transport, index) => {
    const before = transports.slice(0, index).filter(({ name }) => name === transport.name).length;
    const name = before === 0 ? transport.name : `${transport.name}-${before + 1}`;
    const maxMessageBytes = settings.earlierMaxMessageSize;
    return openBridge({ transport, name, clients: backend.clients, log, maxMessageBytes });
  });
  return {
    port: address?.port,
    renewCertificate: (renewed) => api?.renewCertificate(renewed),
    close: async () => {
      await Promise.all(bridges.map((bridge) => bridge.close()));
      await api?.close();
    },
  };
};
