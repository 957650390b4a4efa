// The transport information in `GET /info` of the client.
import { keepalivesPipe, resultsPipe, type Transport } from '../wire/earlier/transport.ts';

export const transportInfo = async (transport: Transport): Promise<object> => {
  const connected = transport.isConnected();
  const nobodyKnows = { messages: null, consumers: null };
  const [keepalives, results] = connected
    ? await Promise.all([transport.stats(keepalivesPipe), transport.stats(resultsPipe)])
    : [nobodyKnows, nobodyKnows];
  return { name: transport.name, keepalives, results, connected };
};
