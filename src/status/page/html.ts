import { toPlainText } from '../../lib/plain-text.ts';
import type { WallClock } from './clock.ts';

/** Text that is HTML already. Anything else that is put into a page is escaped. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | undefined | readonly Html[];

/** HTML from a template. Each part is escaped unless it is `Html`; undefined becomes nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: texts.map((text, index) => `${text}${toHtml(parts[index])}`).join('') };
}

/** A time in words for people, with the exact time for programs. */
export function renderMoment(
  time: Date,
  { clock, now }: { readonly clock: WallClock; readonly now: Date },
): Html {
  return html`<time datetime="${time.toISOString()}">${clock.formatMoment(time, now)}</time>`;
}

/** Joins phrases with dots between them; empty ones are left out. */
export function joinPhrases(phrases: readonly (string | Html | undefined)[]): Html {
  const said = phrases.filter((phrase) => phrase !== undefined && phrase !== '');
  return html`${said.map((phrase, index) => html`${index === 0 ? '' : ' · '}${phrase}`)}`;
}

/** A command to type on the device. With a script it has a button that copies it. */
export function renderCommand(command: string): Html {
  return html`<span class="command"><code>${command}</code><button type="button" class="copy scripted" aria-label="Copy ${command}">Copy</button></span>`;
}

/** Advice such as `Sign in: tributary login`, with its commands shown as commands. */
export function renderAdvice(advice: string): Html {
  const [, text, commands] =
    /^(.*): ((?:sudo |tributary|nft|wg|ip|df|ls|apt-get) ?.*)$/.exec(advice) ?? [];
  if (text === undefined || commands === undefined) return html`${advice}`;
  return html`${text}, on the device: ${commands.split('; ').map((command) => renderCommand(withRights(command)))}`;
}

/** A command as it works when it is pasted: what asks the agent or the network needs root. */
function withRights(command: string): string {
  return /^(?:sudo|df|ls|ip route get) /.test(command) ? command : `sudo ${command}`;
}

function toHtml(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'object')
    return 'html' in part ? part.html : part.map((own) => own.html).join('');
  return toPlainText(String(part)).replace(
    /[&<>"']/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
