// version: of this program, and of what runs it.
import { version } from '../../program/version.ts';
import type { Work } from '../command.ts';

export const versionLine = (): string => `mon-ctl version ${version} (node ${process.version})`;

export const printVersion: Work = (session) => session.print(versionLine());
