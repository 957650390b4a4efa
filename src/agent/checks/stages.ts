// The interfaces of the steps before a command. Each returns a value, or an error for the check result.
import type { AssetInstaller } from '../../assets/asset-store.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { Runnable } from '../../model/template/token-substitution.ts';
import type { Environment } from '../../program/environment.ts';
import { type Stage, yes } from '../../program/stage.ts';

/** Substitutes entity values into all texts of a check or hook. Untrusted values are rejected in its command. */
type Substitute = <T extends Runnable>(definition: T, entity: Entity) => Stage<T>;

/** The output of a check with a command that is not on the allow list. */
export const deniedMessage = 'check command denied by the agent allow list';

export interface Permission {
  /** Whether the check's own variables are passed to the command. */
  readonly passVariables: boolean;
  /** The words to run without a shell; undefined: run with a shell. */
  readonly words?: readonly string[] | undefined;
  /** The required SHA-512 of the executable, in hex. */
  readonly sha512?: string;
}

export interface AllowList {
  /** Checks whether a substituted command may run. */
  permit(command: string): Stage<Permission>;
  /**
   * The last step before the run: verifies the executable. Returns the permission with the path of the verified
   * file.
   */
  verify(permission: Permission, environment: Environment): Promise<Stage<Permission>>;
}

export interface Stages {
  readonly substitute: Substitute;
  /** Null: assets are disabled on this agent. */
  readonly assets: AssetInstaller | null;
  readonly allowList: AllowList;
}

/** Used without an allow list; permits all commands. */
export const allowEverything: AllowList = {
  permit: () => yes({ passVariables: true }),
  verify: async (permission) => yes(permission),
};
