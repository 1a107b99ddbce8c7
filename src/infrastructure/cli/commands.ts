import { accessCommands } from './commands/access.js';
import { agentPoolCommands } from './commands/agent-pool.js';
import { auditCommands } from './commands/audit.js';
import { backup } from './commands/backup.js';
import { doctor } from './commands/doctor.js';
import { effectCommands } from './commands/effect.js';
import { gc } from './commands/gc.js';
import { importCommand } from './commands/import.js';
import { migrate } from './commands/migrate.js';
import { move } from './commands/move.js';
import { organizationCommands } from './commands/organization.js';
import { policyCommands } from './commands/policy.js';
import { serve } from './commands/serve.js';
import { signInLink } from './commands/sign-in-link.js';
import { tokenCommands } from './commands/token.js';
import { userCommands } from './commands/user.js';
import { verify } from './commands/verify.js';
import type { Command } from './toolkit/command.js';

/** All commands, in the order in which help and docs list them. */
export const commands: readonly Command[] = [
  serve,
  migrate,
  doctor,
  ...userCommands,
  signInLink,
  ...tokenCommands,
  ...organizationCommands,
  ...accessCommands,
  ...policyCommands,
  ...agentPoolCommands,
  ...auditCommands,
  ...effectCommands,
  importCommand,
  move,
  backup,
  verify,
  gc,
];
