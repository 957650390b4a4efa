// A broker the earlier generation already uses (Redis or RabbitMQ), and the registry on its other side: keepalives and
// results are taken from it and acknowledged after the commit, requests are put into it.
import { randomUUID } from 'node:crypto';
import { parseGuarded } from '../../../model/schema/guarded-json.ts';
import { defaultMaxMessageBytes } from '../../../wire/earlier/limits.ts';
import {
  type Arrival,
  keepalivesPipe,
  resultsPipe,
  type Transport,
} from '../../../wire/earlier/transport.ts';
import { outcomeOfError, outcomeRules } from '../../outcomes/outcome-rules.ts';
import { asError } from '../../runtime/inspection/facts.ts';
import type { Clients } from './clients.ts';
import { bridgeRetryMs } from './limits.ts';
import { ResultIds } from './result-ids.ts';

export interface BridgeOptions {
  readonly transport: Transport;
  /** Name of this broker, when there are several of one kind. Default: the kind. */
  readonly name?: string;
  readonly clients: Pick<Clients, 'keepalive' | 'result' | 'attach' | 'heardAgain'>;
  readonly log: Record<'info' | 'warn' | 'error', (fields: object, text: string) => void>;
  /** Largest keepalive or result. */
  readonly maxMessageBytes?: number;
  /** How long a message waits that we cannot take for the moment. */
  readonly retryMs?: number;
}

export interface Bridge {
  close(): Promise<void>;
}

/** Begins at once, and keeps the connection up until it is closed. */
export const openBridge = (options: BridgeOptions): Bridge => {
  const { transport, clients, log, retryMs = bridgeRetryMs } = options;
  const { maxMessageBytes = defaultMaxMessageBytes } = options;
  const via = options.name ?? transport.name;
  const ids = new ResultIds(randomUUID);
  let listening = false;
  let blocked = false;
  let closed = false;
  clients.attach({
    name: via,
    kind: transport.name,
    isConnected: () => listening && !blocked && transport.isConnected(),
    publish: (pipe, message) => transport.publish(pipe, message),
  });

  /** A message that can never be taken. Theirs is a warning, a fault of ours an error. */
  const drop = (what: string, error: unknown): void => {
    const { message } = asError(error);
    // A stack says nothing about a refusal, and clients could fill the log with them.
    if (outcomeOfError(asError(error)).type === 'invalid')
      log.warn({ via, reason: message }, `a ${what} of a client was dropped`);
    else log.error({ via, err: error }, `a ${what} of a client was dropped`);
  };

  const take =
    (what: 'keepalive' | 'result', hand: (message: unknown, id: string) => Promise<void>) =>
    async (bytes: Buffer, { redelivered }: Arrival = { redelivered: false }): Promise<void> => {
      if (bytes.length > maxMessageBytes)
        return log.error(
          { via, bytes: bytes.length, maxMessageBytes },
          'message exceeds the configured max message size (--earlier-max-message-size)',
        );
      const parsed = parseGuarded(bytes, { maxBytes: maxMessageBytes });
      if (!parsed.ok) return log.error({ via, reason: parsed.message }, `failed to parse ${what} payload`);
      const message = parsed.value;
      const id = what === 'result' ? ids.of(bytes.toString('utf8'), message, redelivered) : randomUUID();
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await hand(message, id);
        } catch (error) {
          const { broker } = outcomeRules[outcomeOfError(asError(error)).type];
          // The next keepalive is on its way; a result comes once.
          if (broker === 'dropped' || what === 'keepalive') return drop(what, error);
          // It is not acknowledged any more, so the broker keeps it.
          if (closed) return log.warn({ via, err: error }, `a ${what} of a client is left to the broker`);
          // Told once; the broker keeps what comes after it.
          if (attempt === 1)
            log.error({ via, err: error }, `a ${what} of a client cannot be taken now, trying again`);
          await new Promise((resolve) => setTimeout(resolve, retryMs));
        }
      }
    };

  const listen = async (): Promise<void> => {
    const ack = { ack: true };
    const keepalive = take('keepalive', (message) => clients.keepalive(message, via));
    const result = take('result', (message, id) => clients.result(message, id));
    await transport.subscribe(keepalivesPipe, keepalivesPipe.name, keepalive, ack);
    await transport.subscribe(resultsPipe, resultsPipe.name, result, ack);
    listening = true;
    clients.heardAgain(via);
    log.info({ via }, 'listening to clients of the earlier generation');
  };

  transport.open({
    connected: () => {
      listen().catch((error) => log.error({ via, err: error }, 'could not listen to clients'));
    },
    lost: (reason) => {
      listening = false;
      blocked = false;
      log.warn({ via, reason }, 'the broker is gone; its clients are not called silent meanwhile');
    },
    failed: (reason) => log.warn({ via, reason }, 'the broker cannot be reached'),
    // Neither requests nor the keepalives of its clients get through.
    blocked: (reason) => {
      blocked = true;
      log.warn({ via, reason }, 'the broker takes no messages; its clients are not called silent meanwhile');
    },
    unblocked: () => {
      blocked = false;
      clients.heardAgain(via);
      log.info({ via }, 'the broker takes messages again');
    },
  });
  return {
    close: () => {
      closed = true;
      return transport.close();
    },
  };
};
