// The frame of the page: which view is shown, who is signed in, and what happens on a click.

import { h, morph, clock } from './dom.js';
import { live, read, send, token, Problem } from './wire.js';
import problems from './problems.js';
import flow from './flow.js';
import { objects, object } from './objects.js';
import why from './why.js';
import controllers from './controllers.js';
import nodes from './nodes.js';
import { change as changeObject, listen } from './keys.js';

const VIEWS = { problems, flow, objects, object, why, controllers, nodes };
const THEMES = ['system', 'light', 'dark'];
const main = document.getElementById('main');
const status = document.getElementById('live');
const said = document.getElementById('said');
const sign = document.getElementById('sign');

let shown = null;
let stop = () => {};
let me = null;
let saidLater = 0;

/** Says a sentence to everybody, also to those who listen. */
function say(sentence, bad = false) {
  said.textContent = sentence;
  said.classList.toggle('bad', bad);
  clearTimeout(saidLater);
  saidLater = setTimeout(() => { said.textContent = ''; }, 6000);
}

/** Says whether the page shows the present. If the stream is lost, all of it stands still and is grey. */
function setState(state) {
  const lost = state === 'reconnecting';
  if (status.dataset.state !== state) {
    status.dataset.state = state;
    status.textContent = lost ? `no word from the service since ${clock(Date.now())}` : state;
    status.className = `live ${state === 'live' ? 'on' : state}`;
    main.classList.toggle('lost', lost);
  }
}

function draw() {
  if (shown?.data) {
    const page = h('main', { id: 'main', tabindex: '-1', class: main.className || null }, ...shown.view.render(shown.data, shown.context));
    morph(main, page);
    shown.view.drawn?.(main, shown.data, shown.context);
  }
}

function problem(error) {
  if (error.code === 401) {
    askToken('This service shows its state to users that it knows.');
    return;
  }
  setState('stopped');
  shown = { ...shown, data: null };
  morph(main, h('main', { id: 'main', tabindex: '-1' }, h('h1', {}, shown.view.title(shown.context.params)),
    h('p', { class: 'note bad', role: 'alert' }, error.message),
    error.code === 403 && token.get() ? h('p', { class: 'muted' }, 'Sign out to use another token.') : null));
}

function askToken(reason) {
  document.getElementById('sign-why').textContent = reason;
  if (!sign.open) {
    sign.showModal();
  }
}

/** Shows the view that the address names. */
function route() {
  const [name, query] = (location.hash.slice(2) || 'problems').split('?');
  const view = VIEWS[name] ?? problems;
  const params = Object.fromEntries(new URLSearchParams(query));
  const again = shown?.view === view;
  stop();
  const context = { params, me, at: 0, redraw: draw, memory: again ? shown.context.memory : {},
    isShown: () => shown?.context === context };
  shown = { view, data: null, context };
  if (name === 'objects') {
    sessionStorage.setItem('wheelhouse-list', location.hash);
  }
  view.entered?.(shown.context);
  document.title = `${view.title(params)} · Wheelhouse`;
  for (const link of document.querySelectorAll('.top nav a')) {
    const current = link.hash === `#/${name === 'object' ? 'objects' : name}`;
    if (current) {
      link.setAttribute('aria-current', 'page');
    } else {
      link.removeAttribute('aria-current');
    }
  }
  if (!again) {
    morph(main, h('main', { id: 'main', tabindex: '-1', 'aria-busy': 'true' }, h('h1', {}, view.title(params)),
      h('p', { class: 'muted' }, 'The first state is on its way.')));
    window.scrollTo(0, 0);
  }
  open();
}

function open() {
  stop();
  const current = shown;
  const { view, query } = current.view.source(current.context.params);
  stop = live(view, query, {
    state: setState,
    problem,
    show: (data, at) => {
      if (shown === current) {
        current.data = data;
        current.context.at = at;
        current.context.me = me;
        current.view.arrived?.(data, at, current.context);
        draw();
      }
    },
  });
}

async function start() {
  try {
    me = await read('me');
    document.getElementById('leave').hidden = !token.get();
    document.getElementById('leave').textContent = `Sign out ${me.user}`;
    sign.close();
    route();
  } catch (error) {
    if (error instanceof Problem && (error.code === 401 || (error.code === 403 && !shown))) {
      askToken(error.code === 401 ? 'This service shows its state to users that it knows.' : error.message);
    } else {
      setState('reconnecting');
      setTimeout(start, 2000);
    }
  }
}

/** Sends the change that a button or a form names. */
async function change(path, body) {
  try {
    say(await send(path, body));
  } catch (error) {
    say(error.message, true);
  }
}

document.addEventListener('click', event => {
  const verb = event.target.closest('button[data-change]')?.dataset.change;
  if (verb) {
    changeObject(verb, JSON.parse(event.target.closest('[data-object]').dataset.object), say);
  }
  const button = event.target.closest('button[data-do]');
  if (button) {
    const { path, ...body } = JSON.parse(button.dataset.do);
    if (path) {
      change(path, body);
    } else {
      shown.view.clicked?.(body, shown.context);
      draw();
    }
  }
});

document.addEventListener('submit', event => {
  event.preventDefault();
  const form = event.target;
  if (form === document.getElementById('sign-form')) {
    token.set(document.getElementById('token').value.trim());
    form.reset();
    start();
  } else if (form.dataset.do) {
    const { path, ...body } = JSON.parse(form.dataset.do);
    const fields = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, Number(value)]));
    change(path, { ...body, ...fields });
  }
});

let typed = 0;
function filter(event) {
  const form = event.target.closest('form[data-filter]');
  if (form) {
    clearTimeout(typed);
    typed = setTimeout(() => {
      const fields = [...new FormData(form)].filter(([, value]) => value !== '');
      location.hash = `#/${form.dataset.filter}?${new URLSearchParams(fields)}`;
    }, 250);
  }
}
document.addEventListener('input', filter);
document.addEventListener('change', filter);

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById('theme').textContent = `Theme: ${theme}`;
  localStorage.setItem('wheelhouse-theme', theme);
}

document.getElementById('theme').addEventListener('click', () => {
  setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);
});
document.getElementById('leave').addEventListener('click', () => {
  token.clear();
  location.reload();
});
// Without a token there is nothing behind the dialog.
sign.addEventListener('cancel', event => event.preventDefault());
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    stop();
    setState('paused');
  } else if (shown) {
    open();
  }
});
/** The address that the service gives to its owner has a token, which does not stay in it. */
function takeToken() {
  const given = new URLSearchParams(location.hash.split('?')[1]).get('token');
  if (given) {
    token.set(given);
    history.replaceState(null, '', '#/problems');
  }
  return given;
}

window.addEventListener('hashchange', () => takeToken() ? start() : route());
window.addEventListener('resize', draw);

listen(() => me, say);
takeToken();
setTheme(THEMES.includes(localStorage.getItem('wheelhouse-theme')) ? localStorage.getItem('wheelhouse-theme')
  : 'system');
start();
