import { parseArgs } from 'node:util';
import { messageOf, TributaryError } from '../../src/errors/codes.ts';

/** The families of figures, in the order in which they are measured. */
export const partNames = [
  'start',
  'programs',
  'memory',
  'rest',
  'lists',
  'commands',
  'throughput',
  'gaps',
] as const;
export type PartName = (typeof partNames)[number];

const subjects = ['agent', 'service', 'rules', 'packet', 'household', 'connect'] as const;

const usualRounds = {
  agent: '5',
  service: '30',
  rules: '5',
  packet: '5',
  household: '3',
  connect: '5',
} as const;

const usage = `Usage: npm run bench -- [--only PART[,PART…]] [--rounds N] [--rest-seconds N] [--json FILE]
       npm run bench -- service|rules|packet [--rounds N] [--json -]
       npm run bench -- connect [--only engine|twenty|sealed] [--rounds N] [--json -]
       npm run bench -- household [--only SCENARIO[,SCENARIO…]] [--rounds N] [--json -]
Parts: ${partNames.join(', ')}. FILE: - is standard output.`;

/** The arguments after `npm run bench --`. */
export interface BenchOptions {
  /**
   * What is measured: the agent beside a shell script, the reference service, the agent's rules,
   * what they cost a packet, the home's line, or the engine of the network's own protocol.
   */
  readonly subject: (typeof subjects)[number];
  readonly parts: readonly PartName[];
  /** The names after `--only`; undefined for all. */
  readonly scenarios: readonly string[] | undefined;
  readonly rounds: number;
  /** How long the agent is observed at rest, in each round. */
  readonly restSeconds: number;
  /** The file for the figures as JSON; `-` for standard output, undefined for no file. */
  readonly json: string | undefined;
}

/** Reads the arguments. @throws usage-invalid */
export function readBenchOptions(args: readonly string[]): BenchOptions {
  const { values, positionals } = parse(args);
  const [word = 'agent', ...more] = positionals;
  const subject = choose(word, subjects);
  if (more.length > 0) throw refuse(`${more.join(' ')}: too many words`);
  if (subject !== 'agent' && values.json !== undefined && values.json !== '-')
    throw refuse('--json: only - here');
  const scenarios = values.only?.split(',');
  const asked =
    (subject === 'agent' && scenarios?.map((name) => choose(name, partNames))) || partNames;
  return {
    subject,
    scenarios,
    parts: partNames.filter((name) => asked.includes(name)),
    rounds: readNumber('--rounds', values.rounds ?? usualRounds[subject], 1, 50),
    restSeconds: readNumber('--rest-seconds', values['rest-seconds'] ?? '60', 5, 3600),
    json: values.json,
  };
}

const text = { type: 'string' } as const;

function parse(args: readonly string[]) {
  try {
    const options = { rounds: text, json: text, only: text, 'rest-seconds': text };
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw refuse(messageOf(error));
  }
}

function choose<Name extends string>(word: string, names: readonly Name[]): Name {
  const found = names.find((name) => name === word);
  if (found === undefined) throw refuse(`${word}: one of ${names.join(', ')}`);
  return found;
}

function readNumber(option: string, value: string, least: number, most: number): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= least && number <= most) return number;
  throw refuse(`${option}: a number from ${least} to ${most}`);
}

function refuse(why: string): TributaryError {
  return new TributaryError('usage-invalid', `${why}\n${usage}`);
}
