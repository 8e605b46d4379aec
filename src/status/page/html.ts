import { toPlainText } from '../../lib/plain-text.ts';
import type { WallClock } from './clock.ts';

/** Text that is HTML already; whatever else goes into a page is escaped. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | undefined | readonly Html[];

/** HTML from a template: each part is escaped, unless it was made in the same way. undefined leaves nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: texts.map((text, index) => `${text}${toHtml(parts[index])}`).join('') };
}

/** A time for people, and for programs beside it. */
export function renderMoment(time: Date, { clock, now }: { readonly clock: WallClock; readonly now: Date }): Html {
  return html`<time datetime="${time.toISOString()}">${clock.formatMoment(time, now)}</time>`;
}

function toHtml(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(toPlainText(String(part)));
  return 'html' in part ? part.html : part.map((own) => own.html).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
