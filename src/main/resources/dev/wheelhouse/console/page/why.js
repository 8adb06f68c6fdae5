// Why: for each of the last writes the chain event → key → sync → decision → write → answer.

import { h, badge, number, span, clock, objectLink, keyLink, same } from './dom.js';

const PAGE = 30;
const VERBS = ['create', 'update', 'patch', 'apply', 'delete'];
const TIMES = [['1', 'last minute'], ['10', 'last 10 minutes'], ['60', 'last hour']];

function link(event) {
  const object = /^(add|update|delete) of (\S+) (?:([^/\s]+)\/)?(\S+) at version (\S*)$/.exec(event);
  return object
    ? [`${object[1]} of ${object[2]} `, objectLink(object[2], object[3] ?? '', object[4]),
      h('span', { class: 'muted' }, ` at ${object[5]}`)]
    : event;
}

function step(name, ...content) {
  return h('div', { class: 'step' }, h('dt', {}, name), h('dd', {}, ...content));
}

/** One write with its chain. A chain only changes by Events that follow, so one that the page has is not made again. */
export function chain(write, me) {
  const failed = write.code >= 400 || !write.code;
  const key = `w${write.number}`;
  const rev = `${write.events.length}`;
  if (document.querySelector(`#main .chain[data-key=${key}]`)?.dataset.rev === rev) {
    return same(key);
  }
  return h('li', { 'data-key': key, 'data-rev': rev, class: `chain ${failed ? 'bad' : ''}` },
    h('p', { class: 'chain-head' }, h('span', { class: 'muted mono' }, clock(write.at)), ' ',
      h('b', {}, write.controller), ' ',
      h('span', { class: 'verb' }, write.verb.replaceAll('_', ' ')), ` ${write.resource} `,
        objectLink(write.resource, write.namespace, write.name)),
    h('dl', {},
      step('event', link(write.event), write.furtherEvents ? h('span', { class: 'muted' },
        `, and ${number(write.furtherEvents)} further`) : null),
      step('key', h('span', { class: 'mono' }, keyLink(write.key, me?.keys?.[write.controller])), ' ',
        h('span', { class: 'muted one' },
        `waited ${span(write.waitedMillis)}`)),
      step('sync', h('span', { class: 'muted' }, `began at ${clock(write.began)}`)),
      step('decision', h('strong', {}, write.why || 'no reason given')),
      step('answer', failed ? badge('DEGRADED', write.code ? `${write.code}` : 'none') : badge('HEALTHY', `${write.code}`),
        ' ', h('span', { class: 'muted one' }, `after ${span(write.tookMillis)}`),
          failed || !write.answer ? null : [' ', h('span', { class: 'muted one' }, `version ${write.answer}`)],
        failed ? h('p', { class: 'why' }, write.answer) : null)),
    write.events.length ? h('ul', { class: 'muted small', 'aria-label': 'Events of the same sync' },
      write.events.slice(0, 5).map(why => h('li', {}, `Event ${why}`)),
      write.events.length > 5 ? h('li', {}, `and ${number(write.events.length - 5)} more Events`) : null) : null);
}

function select(label, name, options, params) {
  return h('label', {}, label, h('select', { name }, h('option', { value: '' }, 'all'), options.map(([value, text]) =>
    h('option', { value, selected: value === params[name] }, text))));
}

export default {
  title: () => 'Why',
  source: params => ({ view: 'writes', query: { limit: PAGE, ...params } }),

  render({ writes, journal }, { params, me }) {
    const next = writes.length === PAGE ? writes[writes.length - 1].number : null;
    return [
      h('div', { class: 'title' }, h('h1', {}, 'Why')),
      h('p', { class: 'lead' }, 'Each write has a chain of causes. ',
        h('span', { class: 'muted' },
          `The journal keeps ${number(journal.kept)} of ${number(journal.last)} writes, `,
          `in ${number(Math.round(journal.bytes / 1024))} KB.`)),
      h('form', { class: 'filter', 'data-filter': 'why', 'data-key': 'filter' },
        h('label', {}, 'Object', h('input',
          { name: 'object', value: params.object ?? '', placeholder: 'default/web', autocomplete: 'off',
          spellcheck: 'false' })),
        select('Controller', 'controller', Object.keys(journal.writes).map(name => [name, name]), params),
        select('Verb', 'verb', VERBS.map(verb => [verb, verb]), params),
        select('Answer', 'failed', [['true', 'failures only']], params),
        select('Time', 'minutes', TIMES, params)),
      params.before ? h('p', {}, h('a',
        { href: `#/why?${new URLSearchParams({ ...params, before: '' })}`.replace(/&?before=/, '') },
        '← the newest writes')) : null,
      writes.length ? h('ol', { class: 'chains' }, writes.map(write => chain(write, me)))
        : h('p', { class: 'note' }, 'No write matches.'),
      next ? h('p', {},
        h('a', { href: `#/why?${new URLSearchParams({ ...params, before: next })}` }, 'older writes →')) : null,
    ];
  },
};
