import { isThere } from '../../../system/files.ts';
import { defineCommand, refuse } from '../../frame/command.ts';

/** Tasks for the system, with the program that does them, also where the agent is a container. */
const tasks = {
  logs: ["show the agent's log", 'sudo journalctl -u tributary -f', 'docker logs -f tributary'],
  start: ['start the agent', 'sudo systemctl start tributary', 'docker start tributary'],
  stop: ['stop the agent', 'sudo systemctl stop tributary', 'docker stop tributary'],
  restart: ['restart the agent', 'sudo systemctl restart tributary', 'docker restart tributary'],
} as const;
type Task = keyof typeof tasks;

/** Prints the system's command for a task, and runs nothing. */
export function defineSystemCommand(task: Task) {
  const [meaning, bySystemd, byDocker] = tasks[task];
  return defineCommand({
    usage: task,
    description: `print the command to ${meaning}`,
    options: { '--json': 'one JSON object' },
    examples: { [`tributary ${task}`]: `prints ${bySystemd}` },
    async act({ options: { stateDir }, show }) {
      if (stateDir && stateDir !== '/var/lib/tributary')
        throw refuse(
          `the agent of ${stateDir} is not the service of this system: ask what started it`,
        );
      const isContainer = (await isThere('/.dockerenv')) || (await isThere('/run/.containerenv'));
      const command = isContainer ? byDocker : bySystemd;
      await show({ command }, () => `${command}\n`);
    },
  });
}
