// How the events of each handler type are handed over. To add a type: its rules in `model/pipeline/handler.ts`, a file here that hands
// an event over, and a row in this table.
import type { RunnableType } from '../../model/pipeline/handler.ts';
import type { Handling, HandOver } from './handling.ts';
import { pipeHandler } from './pipe-handler.ts';
import { tcpHandler } from './tcp-handler.ts';
import { udpHandler } from './udp-handler.ts';

/** Resolves to what became of it; rejects only for our own bugs. Sets are expanded before. */
export const handlerTable: Readonly<Record<RunnableType, (given: HandOver) => Promise<Handling>>> = {
  pipe: pipeHandler,
  tcp: tcpHandler,
  udp: udpHandler,
};
