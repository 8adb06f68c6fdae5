// The keys of the console, as k9s has them, and the changes of objects that some of them make.

import { send } from './wire.js';

const HELP = [['j', 'or ↓: down'], ['k', 'or ↑: up'], ['Enter', 'open'], ['Esc', 'or Backspace: back'],
  ['/', 'filter'], ['y', 'YAML'], ['e', 'Events'], ['l', 'logs of a pod'], ['s', 'scale'],
  ['r', 'restart: replace the pods'],
  ['u', 'undo the last rollout'], ['p', 'pause or resume'], ['c', 'cordon or uncordon a node'], ['?', 'these keys']];
const SHOWS = { y: 'yaml', e: 'events', l: 'logs' };
const CHANGES = { s: ['scale'], r: ['restart'], u: ['undo'], p: ['pause', 'resume'], c: ['cordon', 'uncordon'] };
const ROWS = 'tr[data-object] th a, .tree a, .problems > li > p:first-child a';
const ARROWS = { ArrowDown: 1, ArrowUp: -1 };
const main = document.getElementById('main');
const help = document.getElementById('help');
const ask = document.getElementById('ask');
let asked = () => {};

export const letterOf = verb => Object.keys(CHANGES).find(letter => CHANGES[letter].includes(verb));

/** The page that is one step up. */
function back() {
  const [view, query] = location.hash.slice(2).split('?');
  const { show, text, ...params } = Object.fromEntries(new URLSearchParams(query));
  if (view === 'object') {
    location.hash = show ? `#/object?${new URLSearchParams(params)}`
      : sessionStorage.getItem('wheelhouse-list') ?? `#/objects?type=${params.type}`;
  } else {
    location.hash = text ? `#/${view}?${new URLSearchParams(params)}` : '#/problems';
  }
}

function move(by) {
  const rows = [...main.querySelectorAll(ROWS)];
  const at = rows.indexOf(document.activeElement);
  const next = rows[at < 0 ? 0 : Math.min(Math.max(at + by, 0), rows.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
  return Boolean(next);
}

/** The reason to ask before a change; null if it can be taken back at once. */
function reason(verb, type) {
  return { scale: 'With fewer pods than now, some are deleted.', restart: 'All its pods are replaced.',
    undo: 'Its pods are replaced by those of the revision before, as by kubectl rollout undo.' }[verb]
    ?? (verb === 'pause' && type === 'jobs.batch' ? 'Its running pods are deleted.' : null);
}

/** Makes a change of an object, after a question if it destroys something. */
export function change(verb, { type, namespace, name }, say) {
  const make = count => send('object', { do: verb, type, namespace, name, ...count }).then(say,
    error => say(error.message, true));
  const why = reason(verb, type);
  if (!why) {
    make();
    return;
  }
  document.getElementById('ask-title').textContent = `${verb[0].toUpperCase()}${verb.slice(1)} ${name}?`;
  document.getElementById('ask-why').textContent = why;
  document.getElementById('ask-yes').textContent = verb;
  const count = document.getElementById('ask-count');
  count.value = '';
  count.required = verb === 'scale';
  document.getElementById('ask-pods').hidden = verb !== 'scale';
  asked = () => make(verb === 'scale' ? { count: Number(count.value) } : {});
  ask.showModal();
}

document.getElementById('ask-form').addEventListener('submit', event => {
  event.preventDefault();
  event.stopPropagation();
  ask.close();
  asked();
});
document.getElementById('ask-no').addEventListener('click', () => ask.close());
document.getElementById('help-close').addEventListener('click', () => help.close());
document.getElementById('help-keys').append(...HELP.flatMap(([key, meaning]) => {
  const [term, text] = [document.createElement('dt'), document.createElement('dd')];
  term.append(Object.assign(document.createElement('kbd'), { textContent: key }));
  text.textContent = meaning;
  return [term, text];
}));

/** @param me returns the user; say says a sentence */
export function listen(me, say) {
  document.getElementById('keys').addEventListener('click', () => help.showModal());
  document.addEventListener('keydown', event => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || target.closest('dialog')) {
      return;
    }
    if (target.matches('input, select')) {
      if (key === 'Escape') {
        target.blur();
      }
      return;
    }
    const at = target.closest('[data-object]') ?? main.querySelector('.title[data-object]');
    const object = at && JSON.parse(at.dataset.object);
    let done = true;
    if (key === 'j' || key === 'k') {
      done = move(key === 'j' ? 1 : -1);
    } else if (ARROWS[key]) {
      // On the page of an object they scroll, unless they are in its tree.
      done = (!main.querySelector('.tree') || target.matches(ROWS)) && move(ARROWS[key]);
    } else if (key === '/') {
      main.querySelector('.filter [name=text], .filter [name=object]')?.focus();
    } else if (key === '?') {
      help.showModal();
    } else if (key === 'Escape' || key === 'Backspace') {
      back();
    } else if (object && SHOWS[key]) {
      const { type, namespace, name } = object;
      location.hash = `#/object?${new URLSearchParams({ type, namespace, name, show: SHOWS[key] })}`;
    } else if (object && CHANGES[key]) {
      const verb = CHANGES[key].find(one => object.changes.includes(one));
      if (verb) {
        change(verb, object, say);
      } else {
        say(me()?.writable ? `${CHANGES[key].join(' or ')} is not possible for ${object.name}, or not for you`
          : 'This console is read-only: --wheelhouse.console.writable=true lets it change objects', true);
      }
    } else {
      done = false;
    }
    if (done) {
      event.preventDefault();
    }
  });
}
