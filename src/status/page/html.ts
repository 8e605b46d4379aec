import { toPlainText } from '../../lib/plain-text.ts';
import type { WallClock } from './clock.ts';

/** Text that is HTML already; whatever else goes into a page is escaped. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | undefined | readonly Html[];

/**
 * HTML from a template: each part is escaped, unless it was made in the same way. undefined leaves
 * nothing.
 */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: texts.map((text, index) => `${text}${toHtml(parts[index])}`).join('') };
}

/** A time for people, and for programs beside it. */
export function renderMoment(
  time: Date,
  { clock, now }: { readonly clock: WallClock; readonly now: Date },
): Html {
  return html`<time datetime="${time.toISOString()}">${clock.formatMoment(time, now)}</time>`;
}

/** Phrases with a dot between them; empty ones are left out. */
export function joinPhrases(phrases: readonly (string | Html | undefined)[]): Html {
  const said = phrases.filter((phrase) => phrase !== undefined && phrase !== '');
  return html`${said.map((phrase, index) => html`${index === 0 ? '' : ' · '}${phrase}`)}`;
}

/** A command to be typed on the device, with a button that copies it where there is a script. */
export function renderCommand(command: string): Html {
  return html`<span class="command"><code>${command}</code><button type="button" class="copy scripted" aria-label="Copy ${command}">Copy</button></span>`;
}

/** Advice such as `Sign in: tributary login`, its commands as such. */
export function renderAdvice(advice: string): Html {
  const [, text, commands] =
    /^(.*): ((?:tributary|nft|wg|ip|df|ls|apt-get) .*)$/.exec(advice) ?? [];
  if (text === undefined || commands === undefined) return html`${advice}`;
  return html`${text}, on the device: ${commands.split('; ').map(renderCommand)}`;
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
