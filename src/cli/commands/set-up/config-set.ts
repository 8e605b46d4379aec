import { defineCommand, renderCommand } from '../../frame/command.ts';
import { loadConfig } from '../../frame/context.ts';
import { joinLines } from '../../present/text.ts';
import { askForRights, findEffect, forgetOnPage } from './config-effect.ts';

const aKey = 'a key, such as service.base_url; config show lists them all';

export const get = defineCommand({
  usage: 'get <key>',
  description: 'print the value of one key that is in force, as you can type it back',
  arguments: { key: aKey },
  options: { '--json': 'with where it comes from' },
  examples: { 'tributary config get provide.mode': 'friends, for example' },
  async act({ words: [key = ''], options, show }, context) {
    const { findConfigKey } = await import('../../../config/set-key.ts');
    const { showKey } = await import('../../../config/show.ts');
    const known = findConfigKey(key);
    const shown = showKey(await loadConfig(options, context), known);
    await show(shown, ({ text, value }) =>
      Array.isArray(value) ? `${JSON.stringify(value)}\n` : `${text}\n`,
    );
  },
});

export const set = defineCommand({
  usage: 'set <key> <value>',
  description: 'write one value into the configuration file; comments and other keys stay',
  arguments: {
    key: aKey,
    value: 'as you would write it in the file: friends, 500 GB, [25, 26]',
  },
  options: { '--json': 'one JSON object' },
  examples: {
    'sudo tributary config set provide.mode friends': 'a running agent uses it at once',
  },
  async act({ words: [key = '', text = ''], options, show }, context) {
    const { setConfigKeys, toShownValue } = await import('../../../config/set-key.ts');
    const { chooseConfigPath } = await import('../../../config/config-file.ts');
    const { environment } = context;
    const file = chooseConfigPath({ configPath: options.config, environment });
    const value = toShownValue(key, text);
    const isNew = await setConfigKeys(file, [{ key, text }], environment).catch(
      (error: unknown) => {
        throw askForRights(error, `sudo ${renderCommand(['config', 'set', key, text], options)}`);
      },
    );
    await forgetOnPage([key], options, context);
    const effect = await findEffect(key, options, context);
    const risk = key === 'provide.mode' ? await findRisk(text) : undefined;
    await show({ file, key, value, ...effect }, (told) =>
      joinLines([
        `${told.key} is now ${told.value}, in ${told.file}${isNew ? ' (a new file)' : ''}`,
        // Errors of the file that was just written are the program's own, a line for each.
        effect.effect === 'refused' ? effect.message : told.message,
        risk,
      ]),
    );
  },
});

export const unset = defineCommand({
  usage: 'unset <key>',
  description: 'take one key out of the configuration file, so that its default holds',
  arguments: { key: 'a key, such as provide.cap.bytes, or a section of them: provide.cap' },
  options: { '--json': 'one JSON object' },
  examples: { 'sudo tributary config unset provide.cap': 'no cap any more, at once' },
  async act({ words: [key = ''], options, show }, context) {
    const { hasConfigKey, setConfigKeys } = await import('../../../config/set-key.ts');
    const { chooseConfigPath } = await import('../../../config/config-file.ts');
    const { environment } = context;
    const file = chooseConfigPath({ configPath: options.config, environment });
    const wasSet = await hasConfigKey(file, key);
    if (wasSet)
      await setConfigKeys(file, [{ key, text: undefined }], environment).catch((error: unknown) => {
        throw askForRights(error, `sudo ${renderCommand(['config', 'unset', key], options)}`);
      });
    await forgetOnPage([key], options, context);
    const effect = await findEffect(key, options, context);
    await show({ file, key, wasSet, ...effect }, (told) =>
      joinLines([
        told.wasSet
          ? `${told.key} is no longer set in ${told.file}`
          : `${told.key} was not set in ${told.file}`,
        effect.effect === 'refused' ? effect.message : told.message,
      ]),
    );
  },
});

async function findRisk(mode: string): Promise<string | undefined> {
  const { explainRisk } = await import('../../../status/mode-words.ts');
  return explainRisk(mode);
}
