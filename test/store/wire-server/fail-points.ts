// Faults on request: `configureFailPoint: 'failCommand'` as a real mongod with enableTestCommands knows it, and one more field,
// `loseReply`, that executes the command and closes the connection instead of answering.
import type { Doc } from './protocol.ts';
import { CommandError } from './query.ts';

interface Fault {
  readonly closeConnection: boolean;
  readonly loseReply: boolean;
  readonly delayMs: number;
  readonly error: CommandError | undefined;
}

export interface FailPoints {
  /** Answers a configureFailPoint command. */
  configure(command: Doc): Doc;
  /** What is to happen to this command, once. */
  take(name: string): Fault | undefined;
}

export const createFailPoints = (): FailPoints => {
  let data: Doc | undefined;
  let timesLeft = 0;
  return {
    configure: ({ configureFailPoint, mode, data: given }) => {
      if (configureFailPoint !== 'failCommand')
        throw new CommandError(2, 'BadValue', `unknown fail point: ${configureFailPoint}`);
      data = mode === 'off' ? undefined : ((given ?? {}) as Doc);
      timesLeft = mode === 'alwaysOn' ? Number.POSITIVE_INFINITY : Number((mode as Doc).times ?? 0);
      return {};
    },
    take: (name) => {
      if (data === undefined || timesLeft <= 0 || !(data.failCommands as string[]).includes(name))
        return undefined;
      timesLeft -= 1;
      const { errorCode } = data;
      return {
        closeConnection: data.closeConnection === true,
        loseReply: data.loseReply === true,
        delayMs: data.blockConnection === true ? Number(data.blockTimeMS) : 0,
        error:
          errorCode === undefined
            ? undefined
            : new CommandError(Number(errorCode), 'FailPoint', 'failed by a fail point'),
      };
    },
  };
};
