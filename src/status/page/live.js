// Keeps the page fresh, sends orders, and makes bars reachable by touch and keyboard. The page reads well without.

const silentMs = 12_000;
const againMs = 5_000;
const storageKey = 'tributary-token';
/** The tab's own, or the browser's where the owner wished so. */
const readToken = () => sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey);
const forgetToken = () => {
  for (const store of [sessionStorage, localStorage]) store.removeItem(storageKey);
};
const find = (id) => document.getElementById(id);
const shown = { title: document.title, icon: find('icon').href };

let stream;
let watchdog;
let waiting;

/** A page from here. As a document it is inert: no script in it runs, and nothing is written as text. */
function load(address) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('GET', address);
    request.responseType = 'document';
    request.timeout = 10_000;
    // The status is 0 where nothing answered in time.
    request.onloadend = () => (request.status === 200 ? resolve(request.response) : reject());
    request.send();
  });
}

function takeOver(fresh) {
  for (const now of fresh.querySelectorAll('[data-live]')) {
    const part = find(now.id);
    if (part === null) continue;
    part.dataset.live = now.dataset.live;
    // Untouched where nothing changed, so that a screen reader has nothing to say and a selection stays.
    if (now.innerHTML !== part.innerHTML) part.replaceChildren(...now.childNodes);
  }
}

/** Everything: after an order, and where no event comes through. */
async function refresh() {
  try {
    const fresh = await load('/');
    const [icon, now] = ['icon', 'now'].map((id) => fresh.getElementById(id));
    takeOver(fresh);
    show({
      title: fresh.title,
      icon: icon.getAttribute('href'),
      at: now.dateTime,
      now: now.textContent,
    });
    hear();
  } catch {
    hear(true);
  }
}

/** What an event says: words and lines by the ids of their elements; a part whose tag is another one is asked for. */
function show({ title = shown.title, icon = shown.icon, script, at, ...rest }) {
  // Another version of the agent: its page needs its own script.
  if (script !== undefined && script !== document.querySelector('script').integrity)
    return location.reload();
  Object.assign(shown, { title, icon });
  document.title = title;
  if (find('icon').getAttribute('href') !== icon) find('icon').href = icon;
  if (at !== undefined) find('now').dateTime = at;
  const places = Object.entries(rest).flatMap(([id, value]) =>
    find(id) === null ? [] : [[id, value, find(id)]],
  );
  for (const [id, value, place] of places) {
    if (id.startsWith('line-')) place.setAttribute('d', value);
    else if (!id.startsWith('live-')) place.textContent = value;
  }
  const stale = places.filter(
    ([id, value, place]) => id.startsWith('live-') && place.dataset.live !== value,
  );
  if (stale.length > 0)
    load(`/?parts=${stale.map(([id]) => id.slice('live-'.length))}`).then(
      takeOver,
      () => undefined,
    );
}

/** The agent is there, or is not; after a while it is asked, also where it is: a proxy may hold events back. */
function hear(isSilent = false) {
  if (isSilent && find('silence').hidden) {
    find('silent-since').textContent = find('now').textContent;
    document.title = `Unknown since ${find('now').textContent} - Tributary`;
    find('icon').href = shown.icon.replace(/tone=.*/, 'tone=plain');
  }
  document.body.classList.toggle('silent', isSilent);
  find('silence').hidden = !isSilent;
  clearTimeout(watchdog);
  if (!document.hidden) watchdog = setTimeout(refresh, isSilent ? againMs : silentMs);
}

function follow() {
  stream?.close();
  clearTimeout(watchdog);
  if (document.hidden) return;
  stream = new EventSource('/events');
  stream.onmessage = ({ data }) => {
    hear();
    show(JSON.parse(data));
  };
  stream.onerror = () => {
    // A stream that is over is opened again by the browser, but for one that was refused.
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, againMs);
    void refresh();
  };
  hear();
}

/** What became of an order; a token that is known by then can be forgotten. */
function say(text) {
  find('order-answer').textContent = text;
  find('forget').hidden = readToken() === null;
}

/** Seconds of a choice; `tomorrow` begins at the page's next midnight. undefined: until it is taken back. */
function toSeconds(choice) {
  if (choice === undefined || choice === '') return undefined;
  if (choice !== 'tomorrow') return Number(choice);
  return Math.max(
    1,
    Math.round((Number(find('tomorrow').dataset.at) - Date.parse(find('now').dateTime)) / 1000),
  );
}

function askForToken(order, text) {
  waiting = order;
  say(text);
  find('token-unsafe').hidden = isSecureContext;
  find('token-dialog').showModal();
}

async function send(order) {
  const { path = '/provide', body, hear: listen = sayOutcome } = order;
  const token = readToken();
  if (token === null) return askForToken(order, '');
  say('Asking the agent …');
  try {
    const answer = await fetch(path, {
      method: 'POST',
      redirect: 'error',
      credentials: 'omit',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const told = await answer.json();
    await refresh();
    // What was pressed may be gone.
    if (document.activeElement === document.body)
      find('orders').querySelector('.primary, [popovertarget]').focus();
    if (answer.status === 401) {
      forgetToken();
      askForToken(order, `${told.error.message} Type it again.`);
    } else listen(told);
  } catch {
    await refresh();
    listen({
      error: {
        message: 'The agent does not answer; nothing was changed, as far as is known here.',
      },
    });
  }
}

function sayOutcome({ error }) {
  say(error?.message ?? 'Done.');
}

function showLog({ error, lines, canRestart }) {
  say(error?.message ?? '');
  if (error) return;
  const text = find('log-lines');
  text.textContent = lines.join('\n');
  find('restart').hidden = find('log-note').hidden = !canRestart;
  if (!find('log-dialog').open) find('log-dialog').showModal();
  text.scrollTop = text.scrollHeight;
}

const settings = () => find('settings-form').querySelectorAll('[name]');

/** The fields say what the configuration says; one that the environment sets cannot be changed. */
function fillSettings(told) {
  say(told.error?.message ?? '');
  if (told.error) return;
  for (const { key, text, overruledBy } of told.settings) {
    const field = find('settings-form').elements[key];
    field.value = field.dataset.kept = text;
    field.disabled = overruledBy !== null;
  }
  sayOrigins(told);
  answerSettings('');
  askIfSure('set-mode');
  if (!find('settings-dialog').open) find('settings-dialog').showModal();
}

/** Below each field: where its value comes from. */
function sayOrigins({ settings: all }) {
  for (const { key, from, overruledBy } of all)
    find('settings-form').elements[key].nextElementSibling.textContent = overruledBy
      ? `${overruledBy} sets it: change it there`
      : (from ?? 'the default');
}

function answerSettings(text) {
  find('settings-answer').textContent = text;
}

/** Sends the first field that was changed, and after its answer the next. */
function saveSettings() {
  const field = [...settings()].find((own) => own.value.trim() !== own.dataset.kept);
  if (field === undefined) return answerSettings('Saved, and in force.');
  const text = field.value.trim();
  void send({
    path: '/settings',
    body: { change: { key: field.name, text } },
    hear(told) {
      say('');
      if (told.error) return answerSettings(`${field.name}: ${told.error.message}`);
      sayOrigins(told);
      field.dataset.kept = field.value = text;
      saveSettings();
    },
  });
}

function order(mode, choice, limit) {
  for (const open of document.querySelectorAll('dialog[open]')) open.close();
  document.querySelector(':popover-open')?.hidePopover();
  const limitBitsPerSecond = limit ? Math.round(limit * 1e6) : undefined;
  void send({
    body: {
      mode: mode === 'auto' ? null : mode,
      forSeconds: toSeconds(choice),
      limitBitsPerSecond,
    },
  });
}

document.addEventListener('click', ({ target }) => {
  const button = target.closest('button');
  if (button === null) return;
  const { order: mode, seconds, opens, closes } = button.dataset;
  if (mode !== undefined) order(mode, seconds);
  if (opens !== undefined) {
    find('mode-form').elements.mode.value = find('orders').dataset.mode;
    find('limit').value = find('orders').dataset.limit;
    askIfSure('mode');
    find('mode-dialog').showModal();
  }
  if (button.id === 'log') void send({ path: '/log', body: {}, hear: showLog });
  if (button.id === 'restart') {
    find('log-dialog').close();
    void send({
      path: '/restart',
      body: {},
      hear: ({ error }) => say(error?.message ?? 'It restarts.'),
    });
  }
  if (button.id === 'settings') void send({ path: '/settings', body: {}, hear: fillSettings });
  if (closes !== undefined) button.closest('dialog').close();
  if (button.classList.contains('copy')) {
    // Over plain HTTP there is no clipboard to write to but by a selection.
    getSelection().selectAllChildren(button.previousElementSibling);
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Selected';
  }
  if (button.id === 'forget') {
    forgetToken();
    say('The token is forgotten.');
  }
});

/** A mode that lets strangers in, and is not in force, is confirmed. */
function askIfSure(where) {
  const list = find('set-mode');
  const chosen =
    where === 'mode' ? find('mode-form').querySelector(':checked') : list.selectedOptions[0];
  const kept = where === 'mode' ? find('orders').dataset.mode : list.dataset.kept;
  const isOpen = chosen?.dataset.open !== undefined && chosen.value !== kept;
  const [risk, sure] = where === 'mode' ? ['mode-risk', 'mode-sure'] : ['set-risk', 'set-sure'];
  find(risk).hidden = !isOpen;
  Object.assign(find(sure), { required: isOpen, checked: false });
}

document.addEventListener('change', ({ target }) => {
  if (target.name === 'mode' || target.id === 'set-mode')
    askIfSure(target.name === 'mode' ? 'mode' : target.id);
});

document.addEventListener('submit', (event) => {
  event.preventDefault();
  if (event.target.id === 'settings-form') return saveSettings();
  if (event.target.id === 'mode-form')
    return order(event.target.elements.mode.value, find('seconds').value, find('limit').value);
  const store = find('remember').checked ? localStorage : sessionStorage;
  store.setItem(storageKey, find('token').value.trim());
  find('token').value = '';
  find('token-dialog').close();
  void send(waiting);
});

/** A slider over a chart: the words of the bar under the finger or the key stand where its sum stood. */
function explore(probe) {
  const [chart, readout] = [probe.previousElementSibling, probe.nextElementSibling];
  const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, Home: -99, End: 99 };
  const rest = () => {
    chart.querySelector('.on')?.classList.remove('on');
    readout.hidden = true;
  };
  const point = (index) => {
    const bars = chart.querySelectorAll('g');
    const at = Math.min(bars.length - 1, Math.max(0, index));
    rest();
    bars[at].classList.add('on');
    readout.textContent = bars[at].querySelector('title').textContent;
    readout.hidden = false;
    Object.assign(probe, {
      ariaValueMax: bars.length,
      ariaValueNow: at + 1,
      ariaValueText: readout.textContent,
    });
  };
  const ariaLabel = `${probe.dataset.label}: values`;
  Object.assign(probe, {
    role: 'slider',
    tabIndex: 0,
    ariaLabel,
    ariaValueMin: 1,
    ariaValueNow: 1,
  });
  probe.addEventListener('focus', () => probe.matches(':focus-visible') && point(99));
  probe.addEventListener('blur', rest);
  probe.addEventListener('pointerleave', rest);
  for (const kind of ['pointermove', 'pointerdown']) {
    probe.addEventListener(kind, ({ offsetX }) => {
      point(Math.floor((offsetX / probe.offsetWidth) * chart.querySelector('svg').dataset.count));
    });
  }
  probe.addEventListener('keydown', (event) => {
    if (step[event.key] === undefined) return;
    event.preventDefault();
    point(probe.ariaValueNow - 1 + step[event.key]);
  });
}

/** The address in setup's QR code holds the token, in the part that is sent to nobody. */
function takeToken() {
  const [, token] = /^#token=(.*)$/.exec(location.hash) ?? [];
  if (token === undefined) return;
  history.replaceState(null, '', '/');
  if (find('token') === null) return;
  askForToken({ path: '/log', body: {}, hear: sayOutcome }, '');
  find('token').value = decodeURIComponent(token);
}

document.documentElement.classList.add('scripts');
document.querySelectorAll('.probe').forEach(explore);
document.addEventListener('visibilitychange', follow);
say('');
follow();
takeToken();
