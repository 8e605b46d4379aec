import { parseArgs } from 'node:util';
import { countEdits } from '../lib/edit-distance.ts';
import { messageOf, TributaryError } from '../lib/errors.ts';
import { profileNames } from '../service/profiles.ts';

export const usage = 'Usage: npm run demo -- [--json] [--keep] [--profile documented|production]';

const options = {
  json: { type: 'boolean', default: false },
  keep: { type: 'boolean', default: false },
  profile: { type: 'string', default: 'documented' },
  help: { type: 'boolean', default: false },
} as const;

/** What was typed behind `npm run demo --`. @throws usage-invalid */
export function readDemoOptions(args: readonly string[]) {
  const { profile: typed, ...values } = parse(args);
  const profile = profileNames.find((name) => name === typed);
  if (profile === undefined) throw refuse(`--profile ${typed}: documented or production`, typed, profileNames);
  return { ...values, profile };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    // Node's own words go on with advice about its syntax.
    const [what = ''] = messageOf(error).split(/\.\s/);
    const [, typed = ''] = /'([^'=\s]+)/.exec(what) ?? [];
    const names = Object.keys(options).map((name) => `--${name}`);
    throw refuse(what, typed, names);
  }
}

function refuse(what: string, typed: string, names: readonly string[]): TributaryError {
  const [nearest] = names.map((name) => ({ name, edits: countEdits(typed, name) })).sort((a, b) => a.edits - b.edits);
  const isMeant = nearest !== undefined && nearest.edits > 0 && nearest.edits <= 2;
  return new TributaryError('usage-invalid', isMeant ? `${what}; did you mean ${nearest.name}?` : what);
}
