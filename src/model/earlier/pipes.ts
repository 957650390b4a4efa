// Pipes: the message channels of the earlier generation.

/** A message in a direct pipe reaches one consumer; in a fanout pipe it reaches all consumers. */
type PipeType = 'direct' | 'fanout';

export interface Pipe {
  readonly type: PipeType;
  readonly name: string;
}

/** The pipe of a subscription: `roundrobin:` and `direct:` reach one member, all others reach every member. */
export const pipeOf = (subscription: string): Pipe => ({
  type: /^(roundrobin|direct):/.test(subscription) ? 'direct' : 'fanout',
  name: subscription,
});
