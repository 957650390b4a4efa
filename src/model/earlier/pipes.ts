// Pipes: what the earlier generation sends its messages through.

/** A message in a direct pipe reaches one of its takers, in a fanout pipe all of them. */
export type PipeType = 'direct' | 'fanout';

export interface Pipe {
  readonly type: PipeType;
  readonly name: string;
}

/** The pipe of a subscription: `roundrobin:` and `direct:` reach one member, everything else reaches all. */
export const pipeOf = (subscription: string): Pipe => ({
  type: /^(roundrobin|direct):/.test(subscription) ? 'direct' : 'fanout',
  name: subscription,
});
