import type { StatusDocument } from './document.ts';
import { renderStatus } from './text.ts';

const style =
  'body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:48rem;padding:0 1rem}pre{overflow-x:auto;font-size:14px}';

/** The status as a plain page without scripts; every text is escaped. */
export function renderPage(document: StatusDocument, now: Date): string {
  const text = renderStatus(document, now)
    .map((line) => escapeHtml(line.text))
    .join('\n');
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    '<meta http-equiv="refresh" content="15">',
    `<title>Tributary: ${escapeHtml(document.phase)}</title><style>${style}</style></head>`,
    `<body><h1>Tributary</h1><pre>${text}</pre>`,
    '<p><a href="/status.json">status.json</a> · <a href="/metrics">metrics</a></p></body>',
    '</html>',
    '',
  ].join('\n');
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
