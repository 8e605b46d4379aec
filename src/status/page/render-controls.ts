import { provideModes } from '../../service/profiles.ts';
import { findChosenMode } from '../chosen-mode.ts';
import { modeWords } from '../mode-words.ts';
import { type Html, html, renderCommand } from './html.ts';
import type { View } from './view.ts';

/**
 * The buttons for pausing and resuming in the header. Without a token the page only reads, and
 * names the command to type.
 */
export function renderOrders({ document, takesControl }: View): Html {
  if (!takesControl) return renderMenu('hint', renderHint());
  const { provide } = document;
  const { source, bitsPerSecond = 0 } = provide.lineLimit ?? {};
  const limit = source === 'override' ? bitsPerSecond / 1e6 : '';
  const isPaused = provide.override?.mode === 'none';
  const pause = html`<button type="button" data-order="none" data-seconds="3600">For 1 hour</button>
<button type="button" data-order="none" data-seconds="tomorrow">Until tomorrow</button>
<button type="button" data-order="none">Until I resume</button>`;
  return html`<div class="scripted row" id="orders" data-mode="${findChosenMode(provide).mode}" data-limit="${limit}"><button type="button" data-opens="mode">Mode</button>
${isPaused ? html`<button type="button" class="primary" data-order="auto">Resume</button>` : renderMenu('pause', pause)}</div>
<noscript>${renderMenu('hint', renderHint())}</noscript>`;
}

function renderMenu(name: string, content: Html): Html {
  return html`<button type="button" popovertarget="${name}">Pause ▾</button><div class="card" popover id="${name}">${content}</div>`;
}

function renderHint(): Html {
  return html`<p>On the device:</p>
<p>${renderCommand('tributary provide none --for 1h')}</p>
<p>${renderCommand('tributary provide auto')}</p>
<p class="note">Buttons here need JavaScript and a token of 16 characters or more: give it to the agent in <code>TRIBUTARY_STATUS_TOKEN</code>, in the file that <code>TRIBUTARY_STATUS_TOKEN_FILE</code> names, or as systemd's credential <code>status-token</code>, and restart it.</p>`;
}

/** The dialogs that ask for the token, and for a mode. */
export function renderDialogs({ takesControl }: View): Html {
  if (!takesControl) return html``;
  return html`<dialog class="card" id="token-dialog" aria-labelledby="token-title"><form id="token-form">
<h2 id="token-title">Token of this page</h2>
<p id="token-note">The one that the agent was given as <code>TRIBUTARY_STATUS_TOKEN</code>. This tab keeps it until you close it.</p>
<p id="token-unsafe" class="warning" hidden>This connection is not encrypted: the token can be read on the way.</p>
<label for="token">Token</label>
<input id="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" required aria-describedby="token-note">
<p class="buttons"><button type="submit" class="primary">Continue</button><button type="button" data-closes>Cancel</button></p>
</form></dialog>
<dialog class="card" id="mode-dialog" aria-labelledby="mode-title"><form id="mode-form">
<fieldset><legend id="mode-title">Who may use this device</legend>
${provideModes.map((mode) => html`<label><input type="radio" name="mode" value="${mode}"><span><b>${mode}</b> – ${modeWords[mode].who}</span></label>\n`)}</fieldset>
<label for="seconds">For how long</label>
<select id="seconds"><option value="">until I change it</option><option value="3600">1 hour</option><option value="28800">8 hours</option><option value="86400">1 day</option><option value="tomorrow">until tomorrow</option></select>
<label for="limit">At most, on your line each way, in Mbit/s</label>
<input id="limit" type="number" min="0.064" max="100000" step="any" placeholder="by schedule and configuration">
<p class="buttons"><button type="submit" class="primary">Set the mode</button><button type="button" data-order="auto">Back to schedule and configuration</button><button type="button" data-closes>Cancel</button></p>
</form></dialog>`;
}
