// Stages: what a check run leans on between the request and the command. Each says yes with what it made, or no
// with the sentence that goes into the result.
import type { AssetInstaller } from '../assets/asset-store.ts';
import type { Entity } from '../model/entity.ts';
import type { Runnable } from '../model/token-substitution.ts';
import type { Environment } from '../program/environment.ts';
import { type Stage, yes } from '../program/stage.ts';

/** Fills the entity's values into every text of a check or a hook; what is not trusted does not come into its command. */
export type Substitute = <T extends Runnable>(definition: T, entity: Entity) => Stage<T>;

/** The output of a check whose command is not on the allow list. */
export const deniedMessage = 'check command denied by the agent allow list';

export interface Permission {
  /** Whether the check's own variables are passed on. */
  readonly passVariables: boolean;
  /** The words to run without a shell; undefined: a shell reads the command. */
  readonly words?: readonly string[] | undefined;
  /** Hex digest the executable must have. */
  readonly sha512?: string;
}

export interface AllowList {
  /** What a command, tokens filled in, may do. */
  permit(command: string): Stage<Permission>;
  /**
   * The last step before it runs: is the executable the one that was allowed? The answer is the permission to run it with,
   * which names the file that was verified.
   */
  verify(permission: Permission, environment: Environment): Promise<Stage<Permission>>;
}

export interface Stages {
  readonly substitute: Substitute;
  /** Null: assets are disabled on this agent. */
  readonly assets: AssetInstaller | null;
  readonly allowList: AllowList;
}

/** Without an allow list every command may run. */
export const allowEverything: AllowList = {
  permit: () => yes({ passVariables: true }),
  verify: async (permission) => yes(permission),
};
