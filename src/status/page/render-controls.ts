import type { ProvideMode } from '../../service/profiles.ts';
import { findChosenMode } from '../chosen-mode.ts';
import { modeWords, openModes } from '../mode-words.ts';
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
  return html`<div class="scripted row" id="orders" data-mode="${findChosenMode(provide).mode}" data-limit="${limit}"><button type="button" id="settings">Settings</button><button type="button" data-opens="mode">Mode</button>
${isPaused ? html`<button type="button" class="primary" data-order="auto">Resume</button>` : renderMenu('pause', pause)}</div>
<noscript>${renderMenu('hint', renderHint())}</noscript>`;
}

function renderMenu(name: string, content: Html, label = 'Pause ▾'): Html {
  return html`<button type="button" popovertarget="${name}">${label}</button><div class="card" popover id="${name}">${content}</div>`;
}

/**
 * What to type on the device, for a reader who has only the page: what is wrong, how to sign in,
 * and the manual. It is as short as a page that is sent whole each time has to be.
 */
export function renderHelp(): Html {
  return renderMenu(
    'help',
    html`<p>On the device:</p>
<p>${renderCommand('sudo tributary doctor')}</p>
<p>${renderCommand('sudo tributary login')}</p>
<p>${renderCommand('man tributary')}</p>`,
    'Help',
  );
}

function renderHint(): Html {
  return html`<p>On the device:</p>
<p>${renderCommand('sudo tributary pause --for 1h')}</p>
<p>${renderCommand('sudo tributary resume')}</p>
<p>For buttons here, which need JavaScript, make a token:</p>
<p>${renderCommand('openssl rand -hex 16 | sudo install -m 600 /dev/stdin /etc/tributary/status-token')}</p>
<p>${renderCommand('sudo systemctl restart tributary')}</p>
<p class="note">Without the package, the agent takes the token from <code>TRIBUTARY_STATUS_TOKEN</code> or from the file that <code>TRIBUTARY_STATUS_TOKEN_FILE</code> names.</p>`;
}

/** From the narrowest use to the widest. */
export const offeredModes: readonly ProvideMode[] = [
  'none',
  'network',
  'friends',
  'public',
  'stream',
  'default',
];

function renderMode(mode: ProvideMode): Html {
  const { who, consequence } = modeWords[mode];
  // Before a mode that lets strangers in, the page asks for a confirmation.
  const isOpen = openModes.has(mode) ? html` data-open` : undefined;
  return html`<label><input type="radio" name="mode" value="${mode}"${isOpen}><span><b>${mode}</b>: ${who}<br><span class="note">${consequence}</span></span></label>\n`;
}

/** The dialogs that ask for the token, and for a mode. */
export function renderDialogs({ takesControl }: View): Html {
  if (!takesControl) return html``;
  return html`<dialog class="card" id="token-dialog" aria-labelledby="token-title"><form id="token-form">
<h2 id="token-title">Token of this page</h2>
<p id="token-note">The one that the agent was given in <code>/etc/tributary/status-token</code> or <code>TRIBUTARY_STATUS_TOKEN</code>. This tab keeps it until you close it.</p>
<p id="token-unsafe" class="warning" hidden>This connection is not encrypted: the token can be read on the way.</p>
<label for="token">Token</label>
<input id="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" required aria-describedby="token-note">
<label><input type="checkbox" id="remember">Remember it in this browser</label>
<p class="buttons row"><button type="submit" class="primary">Continue</button><button type="button" data-closes>Cancel</button></p>
</form></dialog>
<dialog class="card" id="mode-dialog" aria-labelledby="mode-title"><form id="mode-form">
<h2 id="mode-title">Who may use this device</h2>
<fieldset aria-labelledby="mode-title">${offeredModes.map(renderMode)}</fieldset>
<div id="mode-risk" class="reason" role="status" hidden><p><strong>Strangers will use your Internet connection.</strong></p>
<p>Websites see your address for what they do there, and complaints come to you. Some Internet providers forbid it.</p>
<label><input type="checkbox" id="mode-sure">I want that</label></div>
<label for="seconds">For how long</label>
<select id="seconds"><option value="">until I change it</option><option value="3600">1 hour</option><option value="28800">8 hours</option><option value="86400">1 day</option><option value="tomorrow">until tomorrow</option></select>
<label for="limit">At most, on your line each way, in Mbit/s</label>
<input id="limit" type="number" min="0.064" max="100000" step="any" placeholder="by schedule and configuration">
<p class="buttons row"><button type="submit" class="primary">Set the mode</button><button type="button" data-order="auto">Back to schedule and configuration</button><button type="button" data-closes>Cancel</button></p>
</form></dialog>`;
}
