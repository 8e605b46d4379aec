import { provideModes } from '../../service/profiles.ts';
import { type Html, html } from './html.ts';
import type { View } from './view.ts';

const hourSeconds = 3600;

/** Pausing and switching the mode: shown by the script, and only to whoever has the token. */
export function renderControls({ takesControl }: Pick<View, 'takesControl'>): Html {
  return html`<section class="minor" aria-labelledby="orders-title">
<h2 id="orders-title">Change the mode</h2>
${takesControl ? renderForms() : renderHint()}
</section>`;
}

function renderHint(): Html {
  return html`<p>This page only reads. On the device, the mode is changed with <code>tributary provide none --for 1h</code>.</p>
<p>To change it from here, give the agent a token of 16 characters or more in <code>TRIBUTARY_STATUS_TOKEN</code>, in the file that <code>TRIBUTARY_STATUS_TOKEN_FILE</code> names, or as systemd's credential <code>status-token</code>, and restart it.</p>`;
}

function renderForms(): Html {
  return html`<noscript><p>Buttons need JavaScript. On the device: <code>tributary provide none --for 1h</code>.</p></noscript>
<form id="unlock" hidden>
<label for="token">Token of this page</label>
<input id="token" type="password" autocomplete="off" autocapitalize="off" spellcheck="false" required aria-describedby="token-note">
<button type="submit">Unlock</button>
<p class="note" id="token-note">The one that the agent was given as <code>TRIBUTARY_STATUS_TOKEN</code>. It is kept until this tab is closed.</p>
</form>
<div id="orders" hidden>
<div class="buttons" role="group" aria-label="Pause">
<button type="button" data-mode="none" data-seconds="${hourSeconds}">Pause for 1 hour</button>
<button type="button" data-mode="none" data-seconds="tomorrow">Pause until tomorrow</button>
<button type="button" data-mode="none">Pause until cleared</button>
<button type="button" data-mode="auto">Back to schedule and configuration</button>
</div>
<form id="choose">
<label for="mode">Mode</label>
<select id="mode">${provideModes.map((mode) => html`<option>${mode}</option>`)}</select>
<label for="seconds">For</label>
<select id="seconds"><option value="">until it is cleared</option><option value="${hourSeconds}">1 hour</option><option value="${8 * hourSeconds}">8 hours</option><option value="${24 * hourSeconds}">1 day</option><option value="tomorrow">until tomorrow</option></select>
<button type="submit">Set</button>
</form>
<button type="button" id="lock" class="quiet">Forget the token</button>
</div>
<p id="order-answer" role="status"></p>`;
}
