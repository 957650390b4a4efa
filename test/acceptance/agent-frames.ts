// An agent reduced to one frame at a time: sends an event and waits until it is acknowledged.
import WebSocket from 'ws';

const basic = `Basic ${Buffer.from('agent:P@ssw0rd!').toString('base64')}`;

export class AgentFrames {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<string, { taken(): void; refused(why: Error): void }>();

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data: Buffer) => this.#receive(data.toString()));
    const lost = (): void => {
      for (const { refused } of this.#waiting.values()) refused(new Error('the connection was lost'));
    };
    socket.on('error', lost);
    socket.on('close', lost);
  }

  static async connect(url: string, name: string): Promise<AgentFrames> {
    const socket = new WebSocket(url, {
      headers: {
        'Mon-AgentName': name,
        'Mon-Namespace': 'default',
        'Mon-Subscriptions': `entity:${name}`,
        'Mon-User': 'agent',
        'Mon-Ack': '1',
        Accept: 'application/json',
        Authorization: basic,
      },
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return new AgentFrames(socket);
  }

  /** Rejects when the connection is lost first, or the event is refused. */
  send(event: { readonly id: string }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(event.id, { taken: resolve, refused: reject });
      this.#socket.send(`event\n${JSON.stringify(event)}`, (error) => {
        if (error != null) reject(error);
      });
    });
  }

  close(): void {
    this.#socket.terminate();
  }

  #receive(text: string): void {
    if (!text.startsWith('ack\n')) return;
    const ack = JSON.parse(text.slice(4)) as { ids: string[]; refused?: { id: string; message: string }[] };
    for (const { id, message } of ack.refused ?? []) this.#waiting.get(id)?.refused(new Error(message));
    for (const id of ack.ids) this.#waiting.get(id)?.taken();
  }
}
