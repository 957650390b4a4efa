// version: which mon-ctl this is.
import { version } from '../../program/version.ts';
import type { Session } from '../session.ts';

export const printVersion = (session: Session): void =>
  session.print(`mon-ctl version ${version} (node ${process.version})`);
